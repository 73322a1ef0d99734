-- The schema, grouped by the package that owns the tables, in the order of their foreign keys. From here on, every
-- change is a migration of its own.
--
-- Ids are UUIDv7 that the service makes, so that sorting by id sorts by creation; only tenants, keys and tokens have texts. A time that the service compares with
-- another one is the database's. JSON columns are written and read by the service.
-- Costs are in millionths of the currency of the price list, and null when no model had a price. A trace_parent is a W3C
-- traceparent, and null without traces.
-- A table whose rows are updated often has a fillfactor, so that a page has room for new versions of its rows.

-- tenant ----------------------------------------------------------------------------------------------------------------

create table tenant (
  id                   text primary key,
  weight               int not null default 1,      -- its share of the slots, compared with that of other tenants
  max_concurrent_runs  int,
  max_pending_tasks    int,
  delegations_per_hour int,
  tokens_per_day       bigint,
  cost_per_day         bigint,
  models               jsonb not null default '{}', -- own_only, allowed (absent: all), and providers with base_url, api_key as encrypted text, key_id of the key that encrypts it
  version              bigint not null default 0,   -- rises with each change, so that two changes at the same time do not overwrite each other
  created_at           timestamptz not null default clock_timestamp(),
  changed_at           timestamptz not null default clock_timestamp(),
  constraint tenant_id_is_a_name check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint tenant_limits_are_not_negative check (
    weight >= 1 and max_concurrent_runs >= 0 and max_pending_tasks >= 0
    and delegations_per_hour >= 0 and tokens_per_day >= 0 and cost_per_day >= 0)
);
comment on table tenant is 'The settings of each tenant. Null means the setting of the service, or no limit where the service has none.';

-- For the nodes, which read the tenants again when one has changed.
create index tenant_changed on tenant (changed_at);

insert into tenant (id) values ('default');

create table tenant_hour (
  tenant      text not null,
  hour        timestamptz not null,
  slot        smallint not null,    -- chosen at random; the total of an hour is the sum over its slots
  delegations int not null,
  primary key (tenant, hour, slot)
) with (fillfactor = 50);
comment on table tenant_hour is 'How many tasks a tenant with a limit of delegations has submitted in each hour. Several rows for each hour, so that submissions do not wait for each other.';

-- For deleting old hours.
create index tenant_hour_age on tenant_hour (hour);

-- node ------------------------------------------------------------------------------------------------------------------

create table node (
  id          uuid primary key,
  name        text not null,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null, -- renewed while the process lives; when it has passed, other nodes take over its sessions
  slots       int not null,         -- how many sessions it can run at once; 0 while it drains
  constraint node_slots_are_not_negative check (slots >= 0)
);
comment on table node is 'One process of the service. Sessions have no lease of their own: they refer to the node that runs them.';

-- pause -----------------------------------------------------------------------------------------------------------------

create table pause (
  id         uuid primary key,
  scope      text not null,
  name       text, -- of the tenant, the agent or the provider; null when everything is paused
  tenant     text, -- whose sessions wait; null: the sessions of every tenant
  reason     text not null,
  created_by text, -- the subject that paused; null without authentication
  created_at timestamptz not null default clock_timestamp(),
  constraint pause_scope_is_known check (scope in ('all', 'tenant', 'agent', 'provider')),
  constraint pause_has_a_name check ((scope = 'all') = (name is null)),
  constraint pause_has_a_tenant check (scope not in ('tenant', 'agent') or tenant is not null)
);
comment on table pause is 'What operators have stopped for a time. While a row exists, the runs that it applies to wait. Every node has all rows in memory.';

-- session ---------------------------------------------------------------------------------------------------------------

create table session (
  -- whose it is
  id                  uuid primary key,
  tenant              text not null,
  owner               text,                          -- the subject that opened the root; null for children, and without authentication
  parent_id           uuid references session,
  root_id             uuid not null,
  depth               int not null,
  kind                text not null,                 -- hosted: the service runs the agent loop; external: the client does
  -- what its agent is, and may do
  agent               text not null,
  model               text not null,
  workspace           text not null,
  max_turns           int not null,
  grants              jsonb not null,                -- the tool permissions of its runs, narrowed by the grants of its ancestors
  grants_from         jsonb,                         -- where each layer of grants comes from: parent, agent, request
  nonce               text not null default substr(replace(gen_random_uuid()::text, '-', ''), 1, 12), -- in the tag around notices; nobody else sees it, so that nobody can imitate a notice
  -- what its creator said about it, returned unchanged
  title               text,
  origin              jsonb,
  metadata            jsonb,
  -- who runs it
  state               text not null default 'idle',
  epoch               bigint not null default 0,     -- fencing token: rises with every claim and whenever a run loses the session; in an external session with every tool call
  node_id             uuid,                          -- the node that runs it
  job_id              uuid,                          -- the job that is to run it, or runs it
  queued_at           timestamptz,
  takeovers           int not null default 0,        -- workers lost since the last saved turn
  stopped_at          timestamptz,                   -- when it was last cancelled; the result of a task that ended before then does not wake it
  trace_parent        varchar(55),                   -- of what last woke it; the next run and a takeover continue that trace
  generation          int not null default 0,        -- of the current or next turn: 0 after a message or command of a user; after notices 1 + the highest generation of the reported tasks. A child starts with that of its task
  -- what it waits for
  waits_for           text,
  waits_since         timestamptz,
  waits_until         timestamptz,                   -- when it continues at the latest, or looks again; null if only something else ends the wait
  waits_order         bigint,                        -- the place among sessions that wait for a limit or a slot, the lowest first: 10^16 times (100 - priority), plus the time of its creation in microseconds or, for a slot, the round of its parent
  waits_on            uuid,                          -- the pause; its row may be deleted already
  -- what went wrong since the last saved turn
  model_away_since    timestamptz,                   -- the first failed model call
  model_tries         int not null default 0,        -- runs that ended with a failed model call
  error_code          text,
  error_message       text,
  error_at            timestamptz,
  -- its conversation
  next_seq            bigint not null default 1,     -- the seq of the next message
  run_turns           int not null default 0,        -- turns since it was last idle; max_turns applies to these
  stubs_to            bigint not null default 0,     -- results of tools up to this message are left out of what is sent; the transcript keeps them
  stubs_at            bigint not null default 0,     -- next_seq when stubs_to was set: the usage of earlier answers is that of a longer conversation
  -- what it has used
  turns               bigint not null default 0,
  tool_calls          bigint not null default 0,
  input_tokens        bigint not null default 0,
  cached_input_tokens bigint not null default 0,     -- the part of input_tokens that providers read from their caches
  output_tokens       bigint not null default 0,
  cost                bigint,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  constraint session_words_are_known check (
    kind in ('hosted', 'external') and state in ('idle', 'queued', 'running', 'waiting', 'closed')
    and waits_for in ('limit', 'slot', 'retry', 'model', 'memory', 'pause', 'quota', 'below', 'answer')),
  constraint session_root_has_no_parent check (depth >= 0 and (parent_id is null) = (depth = 0)),
  constraint session_runs_on_a_node check ((state = 'running') = (node_id is not null)),
  constraint session_external_never_runs check (kind = 'hosted' or state in ('idle', 'closed')),
  constraint session_waits_for_a_reason check ((state = 'waiting') = (waits_for is not null)),
  constraint session_wait_is_complete check (
    (waits_for is null) = (waits_since is null)
    and (waits_for is not null or waits_until is null)
    and coalesce(waits_for in ('limit', 'slot'), false) = (waits_order is not null)
    and coalesce(waits_for = 'pause', false) = (waits_on is not null)),
  constraint session_error_is_complete check (
    (error_code is null) = (error_message is null) and (error_code is null) = (error_at is null)),
  constraint session_counts_are_possible check (
    max_turns > 0 and generation >= 0 and model_tries >= 0 and stubs_to >= 0 and stubs_at >= stubs_to)
) with (fillfactor = 60);
comment on table session is 'One conversation of an agent. State, epoch and node are in one row, so that a claim is one statement on one row.';

-- Lists of a tenant's sessions, and of one owner.
create index session_page on session (tenant, id desc);
create index session_owner on session (owner, id desc) where owner is not null;
-- For the descendants of a session.
create index session_parent on session (parent_id) where parent_id is not null;
create index session_root on session (root_id);
-- Jobs that are missing, and whether there is work at all.
create index session_queued on session (queued_at) where state = 'queued' and queued_at is not null;
-- Sessions of a node that has died.
create index session_running on session (node_id) where state = 'running' and node_id is not null;
-- The sweep of waits: what may continue now.
create index session_waits on session (waits_for, waits_until) where state = 'waiting';
-- The next children of each parent that get room, and the last round of a parent.
create index session_waits_by_parent on session (parent_id, waits_order) where waits_for in ('limit', 'slot');
-- The next children of each tenant that get slots.
create index session_waits_for_slot on session (tenant, waits_order) where waits_for = 'slot';
-- For retention.
create index session_root_by_age on session (created_at) where parent_id is null;

create table tree (
  root_id               uuid primary key references session on delete cascade,
  max_depth             int not null,
  max_delegations       int not null,              -- applies to turn_delegations
  max_delegations_total int,                       -- applies to delegations; null: no limit
  max_background_tasks  int not null,              -- live background tasks of one parent
  max_tokens            bigint,                    -- applies to tokens; null: no limit
  max_cost              bigint,                    -- applies to cost; null: no limit
  delegations           int not null default 0,    -- tasks accepted in the tree, deleted ones included
  turn_delegations      int not null default 0,    -- tasks accepted since the last message, command or call of a client to the root
  forgotten             int not null default 0,    -- tasks deleted with their sessions; the table task has delegations minus forgotten rows of the tree
  tokens                bigint not null default 0, -- of all model calls, input and output, without the input that providers read from their caches
  cached_tokens         bigint not null default 0, -- the input that providers read from their caches
  cost                  bigint not null default 0,
  constraint tree_limits_are_not_negative check (
    max_depth >= 0 and max_delegations >= 0 and max_delegations_total >= 0
    and max_background_tasks >= 0 and max_tokens >= 0 and max_cost >= 0),
  constraint tree_counts_are_not_negative check (delegations >= 0 and turn_delegations >= 0)
) with (fillfactor = 50);
comment on table tree is 'The limits of a root session with its descendants, and what they have used of them. One row for each root.';

create table tenant_day (
  tenant        text not null,
  day           date not null,     -- in UTC
  slot          smallint not null, -- chosen at random; the total of a day is the sum over its slots
  tokens        bigint not null,   -- like tree.tokens
  cached_tokens bigint not null,
  cost          bigint,
  primary key (tenant, day, slot)
) with (fillfactor = 50);
comment on table tenant_day is 'What the model calls of a tenant have used on each day. Written with tree, by the same statement.';

-- For deleting old days.
create index tenant_day_age on tenant_day (day);

create table message (
  session_id          uuid not null references session on delete cascade,
  seq                 bigint not null,             -- the place in the transcript: 1, 2, 3, … without gaps
  id                  uuid not null unique,
  role                text not null,
  kind                text not null,
  content             json not null,               -- an array of text, tool_call and tool_result, as the model wrote them: it gets the same words again, in the same order
  epoch               bigint not null,             -- the epoch of the session when the message was written
  created_at          timestamptz not null default now(),
  -- a notice
  task_id             uuid,                        -- the task that it reports
  delivery_id         uuid,                        -- the row of outbox that brought it
  -- a summary
  covers_from         bigint,                      -- it is sent in place of the messages from covers_from to covers_to
  covers_to           bigint,
  -- an answer of a model
  model               text,
  started_at          timestamptz,                 -- when the call began
  model_ms            bigint,                      -- how long it took
  model_attempts      int,                         -- how many attempts the run needed for it
  input_tokens        bigint,
  cached_input_tokens bigint,                      -- the part of input_tokens that the provider read from its cache
  output_tokens       bigint,
  cost                bigint,
  usage_estimated     boolean not null default false, -- the provider has not reported the tokens
  primary key (session_id, seq),
  constraint message_words_are_known check (
    role in ('system', 'user', 'assistant', 'tool') and kind in ('message', 'notice', 'command', 'summary')),
  constraint message_seq_is_positive check (seq > 0),
  constraint message_summary_covers_earlier_ones check (
    (kind = 'summary') = (covers_from is not null) and (kind = 'summary') = (covers_to is not null)
    and covers_from >= 1 and covers_from <= covers_to and covers_to < seq)
);
comment on table message is 'The transcripts: one row for each message of a session.';

-- The newest summary of a session.
create index message_summary on message (session_id, seq) where kind = 'summary';
-- A delivery that is repeated finds its notice: at most one message for each.
create unique index message_by_delivery on message (delivery_id) where delivery_id is not null;

create table inbox (
  id               uuid primary key,
  position         bigint generated always as identity, -- the order of arrival
  session_id       uuid not null references session on delete cascade,
  kind             text not null,
  body             jsonb not null,
  source_outbox_id uuid unique,                         -- the row of outbox that was delivered; unique, so that a repeated delivery has no effect
  trace_parent     varchar(55),                         -- of the request, tool call or delivery that added the entry
  generation       int not null default 0,              -- of the task that a notice reports; 0 for other entries
  created_at       timestamptz not null default now(),
  consumed_at      timestamptz,
  constraint inbox_kind_is_known check (kind in ('message', 'notice', 'tool_result')),
  constraint inbox_result_has_a_source check (kind = 'message' or source_outbox_id is not null),
  constraint inbox_generation_is_not_negative check (generation >= 0)
) with (fillfactor = 80);
comment on table inbox is 'What enters the transcript of a hosted session at its next turn boundary.';

-- What a turn boundary takes, in order.
create index inbox_waiting on inbox (session_id, position) where consumed_at is null;
-- For deleting the entries of a session, consumed ones included.
create index inbox_by_session on inbox (session_id);

create table tool_call (
  session_id     uuid not null references session on delete cascade,
  message_seq    bigint not null,        -- the message of the assistant that contains the call; 0 for a call of a client
  idx            int not null,           -- the place among the calls of that message, from 0
  call_id        text not null,          -- the id that the model gave to the call; a client's is unique in the session
  name           text not null,
  title          text,                   -- the call in one line, for people
  effect         text not null,          -- what a takeover may do with a started call: repeat it (pure), check first (checked), or report that its outcome is unknown (side_effect)
  state          text not null default 'planned', -- deferred: the result comes later, from a task; denied: by a hook, before the start
  epoch          bigint not null,        -- the epoch of the session when the row was written; calls of a client raise it, so that each attempt has its own
  result         text,
  is_error       boolean,
  started_at     timestamptz,
  ended_at       timestamptz,
  -- a call of a client
  arguments      jsonb,                  -- those of other calls are in the message
  request_sha256 text,                   -- of name and arguments: recognises a repeated request
  node_id        uuid,                   -- the node that executes it; null when it has ended, or waits for a task
  takeovers      int not null default 0, -- nodes that died while they executed it
  primary key (session_id, message_seq, idx),
  constraint tool_call_words_are_known check (
    effect in ('pure', 'checked', 'side_effect')
    and state in ('planned', 'started', 'deferred', 'done', 'unknown', 'denied')),
  constraint tool_call_idx_is_not_negative check (idx >= 0),
  constraint tool_call_result_is_complete check (
    (state in ('done', 'unknown', 'denied')) = (result is not null) and (result is null) = (is_error is null)),
  constraint tool_call_of_client check ((message_seq = 0) = (request_sha256 is not null))
);
comment on table tool_call is 'The ledger of tool calls: what the assistant asked for, and what the client of an external session called. The former are answered by the message with the role tool that follows.';

-- A repeated request of a client.
create unique index tool_call_by_client on tool_call (session_id, call_id) where message_seq = 0;
-- Calls of clients whose node has died.
create index tool_call_on_node on tool_call (session_id, node_id) where node_id is not null;

create table outgoing_message (
  session_id uuid not null references session on delete cascade,
  call_key   text not null,       -- the tool call, <message seq>.<index>
  id         uuid not null unique,
  text       text,                -- null when it was deleted (cleanup: delete)
  created_at timestamptz not null default clock_timestamp(),
  primary key (session_id, call_key)
);
comment on table outgoing_message is 'What agents said to their users by calling the tool "message". A repeated call finds that its text was sent.';

create table todo (
  session_id uuid not null references session on delete cascade,
  position   int not null,
  content    text not null,
  status     text not null,
  primary key (session_id, position),
  constraint todo_status_is_known check (status in ('pending', 'in_progress', 'completed'))
);
comment on table todo is 'The todo list of a session.';

create table seen_file (
  session_id uuid not null references session on delete cascade,
  path       text not null, -- relative to the workspace, symbolic links resolved; the digest of a path that is too long for the key
  sha256     text not null,
  primary key (session_id, path)
);
comment on table seen_file is 'The content of a file as a session last saw it. An edit is refused when the file has changed since.';

create table file_change (
  session_id    uuid not null references session on delete cascade,
  call_key      text not null, -- the tool call, <message seq>.<index>
  path          text not null,
  before_sha256 text,          -- null when the file did not exist
  after_sha256  text not null,
  primary key (session_id, call_key)
);
comment on table file_change is 'What a tool call is about to do to a file, written before it does so. A repeated call can tell whether the change was made.';

-- event -----------------------------------------------------------------------------------------------------------------

create table event_log (
  root_id     uuid primary key references session on delete cascade,
  last_number bigint not null,
  constraint event_log_number_is_not_negative check (last_number >= 0)
) with (fillfactor = 50);
comment on table event_log is 'The number of the last event of each tree. A transaction locks the row when it numbers its events and keeps the lock until it commits, so that events are committed in the order of their numbers.';

create table event (
  root_id    uuid not null,
  number     bigint not null,
  session_id uuid not null, -- the session whose stream contains the event
  id         uuid not null,
  type       text not null,
  subject    uuid,          -- the task that the event is about
  data       jsonb not null,
  created_at timestamptz not null,
  primary key (root_id, number),
  constraint event_number_is_positive check (number > 0)
);
comment on table event is 'Events for the streams of clients, written in the transaction that they report. Of each tool call only the last tool.progress is kept.';

-- The stream of one session.
create index event_by_session on event (session_id, number);
-- The progress that the next one of the same tool call replaces.
create index event_tool_progress on event (session_id) where type = 'tool.progress';
-- For retention.
create index event_by_age on event using brin (created_at);

-- A foreign key would check each insert.
create function delete_events_of_session() returns trigger language plpgsql as $$
begin
  delete from event where session_id = old.id;
  return null;
end $$;
create trigger session_deleted after delete on session for each row execute function delete_events_of_session();

-- task ------------------------------------------------------------------------------------------------------------------

create sequence task_queue_position;

create table task (
  -- who delegated, and to whom
  id                  uuid primary key,
  tenant              text not null,
  kind                text not null,                 -- the tool that made it: task or spawn
  parent_session_id   uuid not null references session,
  parent_tool_call_id text,                          -- the parent's tool call, <message seq>.<index>; null for a task submitted by a client
  root_session_id     uuid not null,
  session_id          uuid references session,       -- the child; null while the task is queued for a child that works on another task
  queued_for          uuid references session,       -- that child; moved to session_id when the task gets the child, or ends without it
  queue_position      bigint,                        -- the order among the tasks queued for one child, the lowest first
  -- what was asked for
  subagent_type       text not null,
  description         text not null,
  prompt              text not null,
  label               text,
  command             text,
  background          boolean not null,
  priority            int not null,
  cleanup             text not null,
  isolation           text not null,                 -- worktree: the child works in a copy of its parent's workspace
  thoroughness        text,                          -- how far the agent explore goes; null when the caller did not say
  model               text not null,
  max_turns           int not null,
  timeout_ms          bigint not null,
  callback_events     text[],                        -- what is posted to its callback: started, progress, ended; null without a callback
  -- what was decided when it was accepted
  rights              jsonb,                         -- the permissions of the child, as layers, and the tools that it had
  notes               jsonb not null default '[]',   -- sentences of the service about the task, for its caller
  generation          int not null,                  -- of the turn that delegated it; 0 when a client did. From errand.wakes.chain on, its notice does not wake an idle root
  trace_parent        varchar(55),                   -- of the request or tool call that delegated it
  -- how it goes
  state               text not null default 'pending',
  attempts            int not null default 0,        -- runs that were started for it, retries included
  takeovers           int not null default 0,        -- workers lost
  deadline_at         timestamptz,                   -- when it times out
  clock_stopped_at    timestamptz,                   -- since when its time-out does not run, because its session, or one below that it waits for, waits for a pause or a quota
  hold_notice_until   timestamptz,                   -- a caller waits for the result until then; the notice is not due before
  progress_at         timestamptz,                   -- when its progress was last reported, at most once a second
  -- how it ended
  result              text,
  error_code          text,
  error_message       text,
  stop_reason         text,
  partial             boolean not null default false,
  turns               bigint not null default 0,
  tool_calls          bigint not null default 0,
  input_tokens        bigint not null default 0,
  cached_input_tokens bigint not null default 0,     -- the part of input_tokens that providers read from their caches
  output_tokens       bigint not null default 0,
  cost                bigint,
  created_at          timestamptz not null default now(),
  started_at          timestamptz,
  ended_at            timestamptz,
  cleaned_at          timestamptz,                   -- cleanup delete: when the transcripts of the child and of what is below were deleted and their events blanked
  redacted_at         timestamptz,                   -- cleanup delete: when prompt, description, label, command, result and error message were blanked, after the parent received the result
  -- a repeated tool call finds its task
  unique (parent_session_id, parent_tool_call_id),
  constraint task_words_are_known check (
    kind in ('task', 'spawn') and cleanup in ('keep', 'delete') and isolation in ('shared', 'worktree')
    and thoroughness in ('quick', 'medium', 'thorough')
    and state in ('pending', 'running', 'completed', 'failed', 'cancelled', 'timed_out')
    and stop_reason in ('end_turn', 'max_turns', 'max_tokens', 'no_answer', 'timeout', 'cancelled', 'budget', 'error')),
  constraint task_limits_are_positive check (max_turns > 0 and timeout_ms > 0 and generation >= 0),
  constraint task_notes_are_a_list check (jsonb_typeof(notes) = 'array'),
  constraint task_has_a_child_or_is_queued check (
    (session_id is null) = (queued_for is not null)
    and (queued_for is null or (state = 'pending' and queue_position is not null))),
  constraint task_runs_until_a_deadline check (
    state <> 'running' or (started_at is not null and deadline_at is not null)),
  constraint task_end_is_complete check (
    (state in ('pending', 'running')) = (ended_at is null)
    and (ended_at is null) = (stop_reason is null)
    and (state <> 'failed' or error_code is not null))
) with (fillfactor = 60);
comment on table task is 'A delegation from a parent session to a child session, and its result.';

-- Lists of a tenant's tasks, of unsuccessful ones, of a tree, and of a child. The last also finds the newest task of a child.
create index task_page on task (tenant, id desc);
create index task_unsuccessful on task (id desc) where state in ('failed', 'cancelled', 'timed_out');
create index task_by_root on task (root_session_id, id);
create index task_by_session on task (session_id, created_at);
-- A child has one live task.
create unique index task_one_live_per_session on task (session_id) where state in ('pending', 'running');
-- The live tasks of a parent, for its limit, its waits and a cancel.
create index task_live_by_parent on task (parent_session_id) where state in ('pending', 'running');
-- The limit of pending tasks.
create index task_pending on task (tenant) where state = 'pending';
-- The next task of a child.
create index task_queued_for on task (queued_for, queue_position) where queued_for is not null;
-- Time-outs that have passed, and those that do not run.
create index task_deadline on task (deadline_at) where deadline_at is not null and state in ('pending', 'running');
create index task_clock_stopped on task (session_id) where clock_stopped_at is not null and state in ('pending', 'running');
-- Success rates and waits of the last hours, by this index alone.
create index task_by_end on task (ended_at) include (state, tenant, stop_reason);
-- cleanup delete: what is to be cleaned, and what is to be redacted.
create index task_to_clean on task (ended_at) where cleanup = 'delete' and ended_at is not null and cleaned_at is null;
create index task_to_redact on task (cleaned_at) where cleaned_at is not null and redacted_at is null;

create table idempotency_key (
  tenant      text not null,
  scope       text not null,   -- the requests that accept it, such as tasks; the same key in two scopes is two keys
  key         text not null,   -- as the client sent it; for an authenticated client with its subject and a line feed before it, so that no client gets the answer to another one
  body_sha256 text not null,   -- recognises another request with the same key
  task_id     uuid,            -- what the request made: a task,
  session_id  uuid,            -- or a session; also the session that got the message or ran the command,
  message_id  uuid,            -- the message,
  output      text,            -- what the command printed
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  primary key (tenant, scope, key),
  constraint idempotency_key_made_one_thing check ((task_id is null) = (session_id is not null))
);
comment on table idempotency_key is 'Requests that were accepted with an idempotency key, and what each of them made.';

-- For deleting expired keys, and the keys of a deleted session and its tasks.
create index idempotency_key_expiry on idempotency_key (expires_at);
create index idempotency_key_session on idempotency_key (session_id) where session_id is not null;
create index idempotency_key_task on idempotency_key (task_id) where task_id is not null;

-- of the package session; it refers to a task
create table applied_patch (
  session_id uuid not null references session on delete cascade,
  task_id    uuid not null references task on delete cascade,
  files      jsonb not null, -- [{path, before, after}]: before and after identify content and mode; - for no file
  applied_at timestamptz,    -- null until all files were changed
  primary key (session_id, task_id)
);
comment on table applied_patch is 'What a session is about to do with the patch of a task, written before it does so. A repeated call finds each file as it was before, or after.';

-- worktree --------------------------------------------------------------------------------------------------------------

create table worktree (
  session_id uuid primary key,            -- the child; without a foreign key, because the row outlives it
  task_id    uuid not null unique,        -- the task that the child was created for; it names the folder
  folder     text not null,               -- absolute; contains tree, the workspace, and git, where the service keeps the base
  notes      jsonb not null default '[]', -- sentences: what the copy does not contain
  created_at timestamptz not null default now()
);
comment on table worktree is 'The copy of a workspace that a child works in. The row exists until the folder is deleted.';

create table worktree_change (
  task_id     uuid primary key references task on delete cascade,
  session_id  uuid not null,                  -- the child; without a foreign key, because the row goes with the task
  patch       bytea,                          -- as git writes it, with binary files and whole hashes; null when it is too large or the folder could not be read
  files       jsonb not null default '[]',    -- [{path, status}]: status is added, modified or deleted
  insertions  int not null default 0,
  deletions   int not null default 0,
  truncated   boolean not null default false, -- the patch was too large to be stored; the folder is kept until the session is deleted
  unavailable boolean not null default false, -- the node that ended the task could not read the folder
  notes       jsonb not null default '[]',    -- sentences: what the copy and the patch do not contain
  created_at  timestamptz not null default now()
);
comment on table worktree_change is 'What a task has changed in its copy, written in the transaction that ends the task.';

-- Folders that are kept for the sake of their changes.
create index worktree_change_in_folder on worktree_change (session_id) where truncated or unavailable;

-- outbox ----------------------------------------------------------------------------------------------------------------

create table callback (
  id          uuid primary key generated always as (coalesce(session_id, task_id)) stored,
  session_id  uuid unique references session on delete cascade, -- null for the callback of a task
  task_id     uuid unique references task on delete cascade,    -- null for the callback of a session
  url         text not null,
  secret      text not null,             -- the Base64 of the encrypted secret; the secret itself when key_id is null
  key_id      text,                      -- the key that encrypts the secret; null: no key was configured
  posts       bigint not null default 0, -- posts that were attempted; the sequence of the last one
  disabled_at timestamptz,               -- when the receiver answered that it is gone; null while it is active
  created_at  timestamptz not null default now(),
  constraint callback_of_a_session_or_a_task check (num_nonnulls(session_id, task_id) = 1)
);
comment on table callback is 'The webhook of a root session, for results if it is external and for the agent''s messages if it is hosted; or the webhook of a task, for its start, progress and end. Queries on sessions and tasks never read the secret.';

create table outbox (
  id               uuid primary key,
  tenant           text not null,
  kind             text not null,              -- notice, tool_result: the result of task_id, for a parent that goes on or that waits; message: a message of the session; event, progress: start, end and progress of callback_task_id; hook: an event for a hook
  target           text not null,              -- session; webhook: the callback of the session; task_webhook: the callback of callback_task_id; hook
  session_id       uuid not null,              -- the parent of the task; for a message, the session that sends it; for a hook, the session of the event
  task_id          uuid references task on delete cascade, -- the task whose end is delivered
  callback_task_id uuid references task on delete cascade, -- the task whose callback gets the event
  message_id       uuid unique,                -- the message that is posted, from message or outgoing_message; for a failed run, an id of its own
  event            jsonb,                      -- what is sent; null for a result and the end of a task, which are rendered from the task when they are sent
  redacted         boolean not null default false, -- event was blanked after the delivery (cleanup: delete)
  state            text not null default 'pending', -- delivered: in the inbox or transcript, or accepted by the receiver; consumed: the parent knows the result without it; suppressed: dismissed, or nobody waits for it; dead: all attempts failed
  attempts         int not null default 0,
  available_at     timestamptz not null default now(), -- the earliest time of the next attempt
  last_error       text,
  -- what leaves the service
  stream           text,                       -- rows of one stream are sent one after the other: the id of the callback, or the hook and its task
  receiver         text,                       -- the host of the callback, or the name of the hook: its limit of concurrent posts applies
  sequence         bigint,                     -- the number of the post among those of its callback, assigned when it is claimed first; 1 for a hook
  out_of_turn      boolean not null default false, -- later rows of the stream do not wait for it
  claim            uuid,                       -- set while a node sends it, because no transaction stays open during an HTTP call
  claimed_until    timestamptz,
  created_at       timestamptz not null default clock_timestamp(),
  delivered_at     timestamptz,
  consumed_at      timestamptz,
  dead_at          timestamptz,
  -- a result is delivered once to each target
  unique (task_id, kind, target),
  constraint outbox_words_are_known check (
    kind in ('notice', 'tool_result', 'message', 'event', 'progress', 'hook')
    and target in ('session', 'webhook', 'task_webhook', 'hook')
    and state in ('pending', 'delivered', 'consumed', 'suppressed', 'dead')),
  constraint outbox_kind_fits_its_subject check (
    (kind in ('notice', 'tool_result')) = (task_id is not null)
    and (kind = 'message') = (message_id is not null)
    and (kind in ('event', 'progress')) = (callback_task_id is not null)),
  constraint outbox_kind_fits_its_target check (
    (kind <> 'message' or target = 'webhook')
    and (target = 'task_webhook') = (callback_task_id is not null)
    and (target = 'hook') = (kind = 'hook')),
  constraint outbox_event_is_stored_unless_rendered check (
    (target <> 'session' or event is null) and (kind not in ('message', 'progress', 'hook') or event is not null)),
  constraint outbox_leaves_in_a_stream check (
    (target = 'session') = (receiver is null) and (target = 'session') = (stream is null)
    and (sequence is null or target <> 'session') and (not out_of_turn or sequence is not null)
    and (claim is null) = (claimed_until is null)),
  constraint outbox_state_has_its_time check (
    (state <> 'delivered' or delivered_at is not null) and (state <> 'dead' or dead_at is not null))
) with (fillfactor = 80);
comment on table outbox is 'Deliveries: the result of an ended task for its parent, written in the transaction that ends the task, and everything that leaves the service.';

-- The relay: what is due to sessions.
create index outbox_due_to_sessions on outbox (available_at, id) where state = 'pending' and target = 'session';
-- Gauges: what has been due for longest.
create index outbox_due on outbox (available_at, id) where state = 'pending';
-- The outgoing queue: the next row of each stream, the row that later ones wait for, and what is repeated.
create index outbox_unsent on outbox (stream, created_at, id) where state = 'pending' and target <> 'session' and sequence is null;
create unique index outbox_in_turn on outbox (stream) where state = 'pending' and sequence is not null and not out_of_turn;
create index outbox_repeated on outbox (available_at) where state = 'pending' and sequence is not null;
-- Whether a session has undelivered results, asked at the end of each task.
create index outbox_pending_by_session on outbox (session_id) where state = 'pending';
-- For deleting the rows of a session.
create index outbox_by_session on outbox (session_id);
-- Waiting progress of a task, and deletion with the task.
create index outbox_of_callback on outbox (callback_task_id) where callback_task_id is not null;
-- For deleting events that hooks have not accepted in time.
create index outbox_of_hooks on outbox (created_at) where target = 'hook';
-- Lists of a tenant's deliveries, and of dead ones.
create index outbox_page on outbox (tenant, id desc);
create index outbox_dead on outbox (id desc) where state = 'dead';

-- auth ------------------------------------------------------------------------------------------------------------------

create table api_key (
  id               text primary key,
  hash             bytea not null, -- SHA-256 of the whole key, which is shown once and not stored
  name             text not null,
  tenant           text not null,
  role             text not null,
  from_environment boolean not null default false, -- the key of ERRAND_ADMIN_KEY
  created_by       text,           -- the subject that made the key; null for the key of the environment
  created_at       timestamptz not null default clock_timestamp(),
  expires_at       timestamptz,
  last_used_at     timestamptz,    -- written at most once a minute
  constraint api_key_role_is_known check (role in ('viewer', 'agent', 'operator', 'admin', 'metrics')),
  constraint api_key_admin_is_of_the_default_tenant check (role <> 'admin' or tenant = 'default')
);
comment on table api_key is 'The keys of clients. A row is deleted when its key is revoked.';

create table session_token (
  id         text primary key,
  hash       bytea not null,
  session_id uuid not null references session on delete cascade,
  tenant     text not null,
  key_id     text references api_key on delete cascade, -- the key that made it; null when a token of the identity provider did
  created_by text,                                      -- null: made without authentication, and not accepted with it
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
comment on table session_token is 'Tokens that can use one session and what is below it. A token ends with its session and with the key that made it.';

-- For deleting expired tokens, and the tokens of a session or a key.
create index session_token_expiry on session_token (expires_at);
create index session_token_session on session_token (session_id);
create index session_token_key on session_token (key_id) where key_id is not null;

create table audit (
  id         uuid primary key,
  tenant     text not null,
  at         timestamptz not null default clock_timestamp(),
  subject    text not null, -- key:<id>, token:<id>, oidc:<subject>, or anonymous
  action     text not null,
  session_id uuid,          -- the session that was used
  target     text,          -- the task, delivery, key or token that was used
  details    jsonb
);
comment on table audit is 'Who did what, written in the transaction of the act. It contains no prompts and no secrets, and outlives what it is about.';

-- Lists of a tenant, of a subject, and of a session.
create index audit_page on audit (tenant, id desc);
create index audit_subject on audit (subject, id desc);
create index audit_session on audit (session_id, id desc) where session_id is not null;
-- For retention.
create index audit_by_age on audit using brin (at);

-- read by the gauges and by the read model ---------------------------------------------------------------------------------

create view state_count_view as
  select 'session:' || state as id, 'session' as subject, state, count(*) as amount, tenant from session group by tenant, state
  union all
  select 'task:' || state, 'task', state, count(*), tenant from task group by tenant, state
  union all
  select 'delivery:' || state, 'delivery', state, count(*), tenant from outbox where target <> 'hook' group by tenant, state;
comment on view state_count_view is 'How many sessions, tasks and deliveries of each tenant are in each state.';
