-- The schema, grouped by the package that owns the tables. Every later change is a migration of its own.
-- Ids are UUIDv7 made by the service, so that sorting by id sorts by creation. JSON columns are written and read by the service.


-- node

create table node (
  id          uuid primary key,
  name        text not null,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null
);
comment on table node is 'One process of the service. Sessions have no lease of their own: they refer to the node that runs them.';
comment on column node.lease_until is 'renewed while the process lives; once it has passed, other nodes take over its sessions';


-- session

create table session (
  id            uuid primary key,
  tenant        text not null default 'default',
  parent_id     uuid references session,
  root_id       uuid not null,
  depth         int not null check (depth >= 0),
  kind          text not null check (kind in ('hosted', 'external')),
  state         text not null default 'idle' check (state in ('idle', 'queued', 'running', 'waiting', 'closed')),
  epoch         bigint not null default 0,
  node_id       uuid,
  job_id        uuid,
  queued_at     timestamptz,
  takeovers     int not null default 0,
  agent         text not null,
  model         text not null,
  workspace     text not null,
  max_turns     int not null check (max_turns > 0),
  grants        jsonb not null,
  title         text,
  origin        jsonb,
  metadata      jsonb,
  next_seq      bigint not null default 1,
  run_turns     int not null default 0,
  wakes         int not null default 0 check (wakes >= 0),
  turns         bigint not null default 0,
  tool_calls    bigint not null default 0,
  input_tokens  bigint not null default 0,
  output_tokens bigint not null default 0,
  trace_parent  varchar(55),
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  check ((state = 'running') = (node_id is not null)),
  check (kind = 'hosted' or state in ('idle', 'closed')),
  check ((parent_id is null) = (depth = 0))
);
comment on table session is 'One agent''s conversation. State, epoch and owner are in one row, so that a claim is one statement on one row.';
comment on column session.kind is 'hosted: the service runs the agent loop; external: the caller does';
comment on column session.epoch is 'fencing token: increases with every claim and whenever a run loses the session';
comment on column session.node_id is 'the node that runs the session; null unless it is running';
comment on column session.job_id is 'the job that is to run the session or runs it';
comment on column session.takeovers is 'workers lost since the last saved turn';
comment on column session.grants is 'the tool permissions of the session''s runs, narrowed by those of its ancestors';
comment on column session.origin is 'where the session''s user is, as its creator described it; returned unchanged';
comment on column session.metadata is 'what its creator keeps with it; returned unchanged';
comment on column session.next_seq is 'the seq of the next message';
comment on column session.run_turns is 'turns since the session was last idle; the turn limit applies to these';
comment on column session.wakes is 'turns started by notices alone since the last user message; the wake budget applies to these';
comment on column session.trace_parent is 'W3C traceparent of what last woke the session; the next run and a takeover of it continue that trace. Null without traces';
create index session_parent on session (parent_id) where parent_id is not null;
create index session_root on session (root_id);
create index session_page on session (tenant, id desc);
create index session_live on session (state, queued_at) where state in ('queued', 'running');
-- For retention. The indexed columns never change, so that the many updates of a session do not touch the index.
create index session_root_by_age on session (created_at) where parent_id is null;

create table tree (
  root_id              uuid primary key references session on delete cascade,
  max_depth            int not null check (max_depth >= 0),
  max_delegations      int not null check (max_delegations >= 0),
  max_background_tasks int not null check (max_background_tasks >= 0),
  max_tokens           bigint check (max_tokens >= 0),
  delegations          int not null default 0,
  forgotten            int not null default 0,
  tokens               bigint not null default 0,
  check (delegations between 0 and max_delegations)
);
comment on table tree is 'Limits of one tree of sessions and what the tree has used of them. One row for each root session.';
comment on column tree.max_background_tasks is 'live background tasks of one parent';
comment on column tree.max_tokens is 'null: no limit';
comment on column tree.delegations is 'tasks accepted in the tree, deleted ones included';
comment on column tree.forgotten is 'tasks deleted with their sessions; the task table has delegations minus forgotten rows of the tree';

create table message (
  session_id    uuid not null references session on delete cascade,
  seq           bigint not null check (seq > 0),
  id            uuid not null unique,
  role          text not null check (role in ('system', 'user', 'assistant', 'tool')),
  kind          text not null check (kind in ('message', 'notice', 'command')),
  content       jsonb not null,
  epoch         bigint not null,
  input_tokens  bigint,
  output_tokens bigint,
  created_at    timestamptz not null default now(),
  primary key (session_id, seq)
);
comment on table message is 'The transcript of a session.';
comment on column message.seq is 'place in the transcript: 1, 2, 3, … without gaps';
comment on column message.content is 'list of text, tool_call and tool_result parts';
comment on column message.epoch is 'the session''s epoch when the message was written';

create table tool_call (
  session_id  uuid not null references session on delete cascade,
  message_seq bigint not null,
  idx         int not null check (idx >= 0),
  call_id     text not null,
  name        text not null,
  effect      text not null check (effect in ('pure', 'checked', 'side_effect')),
  state       text not null default 'planned'
              check (state in ('planned', 'started', 'deferred', 'done', 'unknown')),
  epoch       bigint not null,
  result      text,
  is_error    boolean,
  started_at  timestamptz,
  ended_at    timestamptz,
  primary key (session_id, message_seq, idx),
  check ((state in ('done', 'unknown')) = (result is not null)),
  check ((result is null) = (is_error is null))
);
comment on table tool_call is 'A tool call that the assistant asked for. The tool message that follows the assistant''s message answers it.';
comment on column tool_call.message_seq is 'seq of the assistant''s message that contains the call';
comment on column tool_call.idx is 'position of the call among the calls of that message, from 0';
comment on column tool_call.call_id is 'the id that the model gave to the call';
comment on column tool_call.effect is 'what a takeover may do with a started call: repeat it (pure), check first (checked), or report its outcome as unknown (side_effect)';
comment on column tool_call.state is 'deferred: the result comes later, from a task';

create table inbox (
  id               uuid primary key,
  position         bigint generated always as identity,
  session_id       uuid not null references session on delete cascade,
  kind             text not null check (kind in ('message', 'notice', 'tool_result')),
  body             jsonb not null,
  source_outbox_id uuid unique,
  trace_parent     varchar(55),
  created_at       timestamptz not null default now(),
  consumed_at      timestamptz,
  check (kind = 'message' or source_outbox_id is not null)
);
comment on table inbox is 'What enters a session''s transcript at its next turn boundary.';
comment on column inbox.position is 'order of arrival';
comment on column inbox.source_outbox_id is 'the outbox row that was delivered; unique, so that a repeated delivery has no effect';
comment on column inbox.trace_parent is 'W3C traceparent of the request, tool call or delivery that added the entry; null without traces';
create index inbox_waiting on inbox (session_id, position) where consumed_at is null;
-- For the deletion of sessions, which also removes consumed entries.
create index inbox_by_session on inbox (session_id);

create table outgoing_message (
  session_id uuid not null references session on delete cascade,
  call_key   text not null,
  id         uuid not null unique,
  created_at timestamptz not null default clock_timestamp(),
  primary key (session_id, call_key)
);
comment on table outgoing_message is 'Messages that agents sent to their users with the tool "message". A repeated call finds that its message was sent. The text is in the event and in the call.';
comment on column outgoing_message.call_key is 'the tool call, <message seq>.<index>';

create table todo (
  session_id uuid not null references session on delete cascade,
  position   int not null,
  content    text not null,
  status     text not null check (status in ('pending', 'in_progress', 'completed')),
  primary key (session_id, position)
);
comment on table todo is 'The todo list of a session.';

create table seen_file (
  session_id uuid not null references session on delete cascade,
  path       text not null,
  sha256     text not null,
  seen_at    timestamptz not null default now(),
  primary key (session_id, path)
);
comment on table seen_file is 'The content of a file as a session last saw it. An edit is refused when the file has changed since.';
comment on column seen_file.path is 'relative to the session''s workspace, symbolic links resolved; the digest of a path that is too long for the key';

create table file_change (
  session_id    uuid not null references session on delete cascade,
  call_key      text not null,
  path          text not null,
  before_sha256 text,
  after_sha256  text not null,
  primary key (session_id, call_key)
);
comment on table file_change is 'What a tool call is about to do to a file, written before it does so. A repeated call can tell whether the change was made.';
comment on column file_change.call_key is 'the tool call, <message seq>.<index>';
comment on column file_change.before_sha256 is 'null when the file did not exist';


-- event

create table event_log (
  root_id     uuid primary key references session on delete cascade,
  last_number bigint not null check (last_number >= 0)
);
comment on table event_log is 'The event numbers of one tree. A transaction locks the row when it numbers its events and keeps the lock until it commits, so that events are committed in the order of their numbers.';

create table event (
  root_id    uuid not null references event_log on delete cascade,
  number     bigint not null check (number > 0),
  session_id uuid not null references session on delete cascade,
  id         uuid not null,
  type       text not null
             check (type in ('session.message', 'session.state',
                             'subagent.created', 'subagent.completed', 'subagent.failed',
                             'background_task.started', 'background_task.progress', 'background_task.completed',
                             'background_task.failed', 'background_task.cancelled',
                             'tool.started', 'tool.progress', 'tool.ended', 'delivery.dead')),
  subject    uuid,
  data       jsonb not null,
  created_at timestamptz not null,
  primary key (root_id, number)
);
comment on table event is 'Events for the streams of clients, written in the transaction that they report. Of each tool call only the last tool.progress is kept.';
comment on column event.session_id is 'the session whose stream contains the event';
comment on column event.subject is 'the task that the event is about';
create index event_by_session on event (session_id, number);
create index event_tool_progress on event (session_id) where type = 'tool.progress';
create index event_by_age on event using brin (created_at);


-- task

create sequence task_line;
comment on sequence task_line is 'values of task.line_place';

create table task (
  id                  uuid primary key,
  tenant              text not null default 'default',
  kind                text not null default 'task' check (kind in ('task', 'spawn')),
  parent_session_id   uuid not null references session,
  parent_tool_call_id text,
  root_session_id     uuid not null,
  session_id          uuid references session,
  in_line_for         uuid references session,
  line_place          bigint,
  subagent_type       text not null,
  description         text not null,
  prompt              text not null,
  label               text,
  command             text,
  background          boolean not null,
  priority            int not null,
  cleanup             text not null check (cleanup in ('keep', 'delete')),
  model               text not null,
  max_turns           int not null check (max_turns > 0),
  timeout_ms          bigint not null check (timeout_ms > 0),
  state               text not null default 'pending'
                      check (state in ('pending', 'running', 'completed', 'failed', 'cancelled', 'timed_out')),
  attempts            int not null default 0,
  takeovers           int not null default 0,
  admitted_at         timestamptz default now(),
  not_before          timestamptz,
  deadline_at         timestamptz,
  held_since          timestamptz,
  hold_notice_until   timestamptz,
  progress_at         timestamptz,
  result              text,
  error_code          text,
  error_message       text,
  stop_reason         text check (stop_reason in ('end_turn', 'max_turns', 'timeout', 'cancelled', 'budget', 'error')),
  partial             boolean not null default false,
  input_tokens        bigint not null default 0,
  output_tokens       bigint not null default 0,
  turns               bigint not null default 0,
  tool_calls          bigint not null default 0,
  trace_parent        varchar(55),
  created_at          timestamptz not null default now(),
  started_at          timestamptz,
  ended_at            timestamptz,
  cleaned_at          timestamptz,
  unique (parent_session_id, parent_tool_call_id),
  check ((session_id is null) = (in_line_for is not null)),
  check (in_line_for is null or (state = 'pending' and line_place is not null)),
  check ((state in ('pending', 'running')) = (ended_at is null)),
  check ((ended_at is null) = (stop_reason is null)),
  check (state <> 'failed' or error_code is not null),
  check (state <> 'running' or (started_at is not null and deadline_at is not null)),
  check (state <> 'running' or (admitted_at is not null and not_before is null))
);
comment on table task is 'A delegation from a parent session to a child session.';
comment on column task.kind is 'the tool that made it: task or spawn';
comment on column task.parent_tool_call_id is 'the parent''s tool call, <message seq>.<index>; null for a task submitted by a client';
comment on column task.session_id is 'the child; null while the task is queued for a child that works on another task';
comment on column task.in_line_for is 'the child that the task is queued for; set to null when the task gets the child or ends';
comment on column task.line_place is 'order among the tasks queued for one child, the lowest first';
comment on column task.attempts is 'runs that were started for it, retries included';
comment on column task.takeovers is 'workers lost';
comment on column task.admitted_at is 'null: the task is deferred until its parent has fewer live background tasks, and has no job';
comment on column task.not_before is 'a failed attempt is not retried before this instant, and has no job until then';
comment on column task.deadline_at is 'when the task times out';
comment on column task.held_since is 'when the child ended its answer while tasks of its own were live; set to null when it runs again';
comment on column task.hold_notice_until is 'a caller waits for the result until then; the notice is not due before';
comment on column task.progress_at is 'when its progress was last reported; at most once a second';
comment on column task.trace_parent is 'W3C traceparent of the request or tool call that delegated it; null without traces';
comment on column task.cleaned_at is 'cleanup delete: when the transcripts of the child and its descendants were deleted';
create unique index task_one_live_per_session on task (session_id) where state in ('pending', 'running');
create index task_by_session on task (session_id, created_at);
create index task_by_root on task (root_session_id, id);
create index task_page on task (tenant, id desc);
create index task_live_by_parent on task (parent_session_id) where state in ('pending', 'running');
create index task_pending on task (tenant) where state = 'pending';
create index task_held on task (parent_session_id, priority desc, created_at, id)
  where state = 'pending' and admitted_at is null;
create index task_put_off on task (not_before) where state = 'pending' and not_before is not null;
create index task_in_line on task (in_line_for, line_place) where in_line_for is not null;
create index task_deadline on task (deadline_at) where state in ('pending', 'running');
create index task_held_by_children on task (session_id) where held_since is not null and state = 'running';
create index task_to_clean on task (ended_at) where cleanup = 'delete' and ended_at is not null and cleaned_at is null;
-- Counts by state and the success rates are read from this index alone, without the wide rows.
create index task_by_end on task (ended_at) include (state);

create table idempotency_key (
  tenant      text not null,
  route       text not null,
  key         text not null,
  body_sha256 text not null,
  task_id     uuid not null,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  primary key (tenant, route, key)
);
comment on table idempotency_key is 'Requests that were accepted with an Idempotency-Key, and the task that each of them made.';
create index idempotency_key_expiry on idempotency_key (expires_at);
-- For the deletion of sessions, which also removes the keys of their tasks.
create index idempotency_key_task on idempotency_key (task_id);


-- outbox

create table outbox (
  id            uuid primary key,
  tenant        text not null default 'default',
  task_id       uuid references task on delete cascade,
  message_id    uuid unique,
  kind          text not null check (kind in ('notice', 'tool_result', 'message')),
  target        text not null check (target in ('session', 'webhook')),
  session_id    uuid not null,
  payload       jsonb,
  lane          text,
  event         jsonb,
  state         text not null default 'pending'
                check (state in ('pending', 'delivered', 'consumed', 'suppressed', 'dead')),
  attempts      int not null default 0,
  available_at  timestamptz not null default now(),
  claim         uuid,
  claimed_until timestamptz,
  created_at    timestamptz not null default clock_timestamp(),
  delivered_at  timestamptz,
  consumed_at   timestamptz,
  dead_at       timestamptz,
  last_error    text,
  unique (task_id, kind, target),
  check ((kind = 'message') = (task_id is null)),
  check ((kind = 'message') = (message_id is not null)),
  check ((kind = 'message') = (payload is null)),
  check (kind <> 'message' or target = 'webhook'),
  check ((target = 'webhook') = (lane is not null)),
  check ((target = 'webhook') = (event is not null)),
  check ((claim is null) = (claimed_until is null)),
  check (state <> 'delivered' or delivered_at is not null),
  check (state <> 'dead' or dead_at is not null)
);
comment on table outbox is 'Deliveries: the result of an ended task, written in the transaction that ends the task, or a message for the callback of a session.';
comment on column outbox.task_id is 'the task whose end is delivered; null for a message of the session itself';
comment on column outbox.message_id is 'the message that is posted, from message or outgoing_message; null for the result of a task';
comment on column outbox.session_id is 'the parent of the task, or the session that sends the message';
comment on column outbox.payload is 'what the parent''s inbox receives; null for a message, which the session already has';
comment on column outbox.lane is 'the receiver of a webhook; the number of concurrent posts is limited per receiver';
comment on column outbox.event is 'what a webhook posts, without the CloudEvents envelope';
comment on column outbox.state is 'consumed: the result was read, the notice is not needed; suppressed: dismissed, or nobody waits for it; dead: all attempts failed';
comment on column outbox.available_at is 'not attempted before; moved by retries';
comment on column outbox.claim is 'set while a node posts the webhook, because no transaction stays open during an HTTP call';
create index outbox_due on outbox (available_at, id) where state = 'pending';
create index outbox_by_session on outbox (session_id);
create index outbox_page on outbox (tenant, id desc);
create index outbox_dead on outbox (id desc) where state = 'dead';

create table callback (
  session_id  uuid primary key references session on delete cascade,
  url         text not null,
  secret      text not null,
  disabled_at timestamptz,
  created_at  timestamptz not null default now()
);
comment on table callback is 'Webhook address of a root session: for results when the session is external, for messages of the agent when it is hosted. A table of its own, so that queries on sessions never read the secret.';
comment on column callback.disabled_at is 'when the receiver answered that it is gone; null while the callback is active';


-- view: the read model. It is read by the entities of the package view, column by column; nothing writes through it.

create view session_view as
select session.id, tenant, parent_id, root_id, depth, agent, kind, title, state, model, workspace,
       input_tokens, output_tokens, turns, tool_calls, origin, metadata, session.created_at, updated_at,
       callback.url as callback_url, callback.disabled_at as callback_disabled_at
from session left join callback on callback.session_id = session.id;

create view session_search_view as
select id, lower(title) as text from session order by id desc limit 10000;
comment on view session_search_view is 'The text that a search for words looks at: that of the newest 10,000 sessions, so that no search reads all of them.';

create view tree_view as
select root_id, max_depth, max_delegations, max_background_tasks, max_tokens from tree;

create view message_view as
select message.id, tenant, session_id, seq, role, message.kind, content, message.created_at
from message join session on session.id = session_id;

create view task_view as
select task.id, task.tenant, coalesce(task.session_id, in_line_for) as session_id, parent_session_id, root_session_id,
       subagent_type, description, label, command, background, task.state, priority, cleanup, timeout_ms, max_turns,
       model, task.attempts, takeovers, nullif(result, '') as result, error_code, error_message, stop_reason, partial,
       input_tokens, output_tokens, turns, tool_calls, task.created_at, started_at, ended_at,
       outbox.state as delivery_state, outbox.attempts as delivery_attempts, outbox.delivered_at, outbox.consumed_at,
       outbox.last_error
from task left join outbox on outbox.task_id = task.id;
comment on column task_view.session_id is 'the child, also while the task is queued for it';

create view task_search_view as
select id, lower(concat_ws(' ', description, label)) as text from task order by id desc limit 10000;
comment on view task_search_view is 'The text that a search for words looks at: that of the newest 10,000 tasks, so that no search reads all of them.';

create view delivery_view as
select id, tenant, task_id, message_id, session_id, kind, target, state, attempts,
       case state when 'pending' then available_at end as next_attempt_at,
       created_at, delivered_at, consumed_at, dead_at, last_error
from outbox;

create view state_count_view as
select 'session:' || state as id, 'session' as subject, state, count(*) as amount from session group by state
union all
select 'task:' || state, 'task', state, count(*) from task group by state
union all
select 'delivery:' || state, 'delivery', state, count(*) from outbox group by state;

create view success_rate_view as
select 1 as id,
       avg(success) filter (where ended_at > now() - interval '5 minutes') as five_minutes,
       avg(success) filter (where ended_at > now() - interval '1 hour') as hour,
       avg(success) as day
from (select ended_at, case state when 'completed' then 1 else 0 end::float8 as success
      from task
      where ended_at > now() - interval '24 hours' and state <> 'cancelled') as ended;
comment on view success_rate_view is 'The share of completed tasks among those that ended and were not cancelled; null when no task ended in the period.';

create view oldest_view as
select 1 as id,
       (select extract(epoch from clock_timestamp() - min(created_at))::float8
        from task where state = 'pending') as pending_seconds,
       (select extract(epoch from clock_timestamp() - min(queued_at))::float8
        from session where state = 'queued') as queued_seconds,
       (select extract(epoch from clock_timestamp() - min(available_at))::float8
        from outbox
        where state = 'pending' and available_at < clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
          and (target = 'webhook'
               or not exists (select 1 from session where session.id = session_id and kind = 'external'))
       ) as undelivered_seconds;
comment on view oldest_view is 'How long the oldest pending task, queued session and due delivery have waited; null when there is none.';
comment on column oldest_view.undelivered_seconds is 'without deliveries that wait for their next attempt or are being posted, and without external parents that have no callback';
