-- One process of the service. Its lease says that it lives; sessions point to it, they hold no lease of their own.
create table node (
  id          uuid primary key,
  name        text not null,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null
);

-- One agent's conversation. State, epoch and owner stand in this one row, so that a claim is one statement on one row.
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
  turns         bigint not null default 0,
  tool_calls    bigint not null default 0,
  input_tokens  bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  check ((state = 'running') = (node_id is not null)),
  check (kind = 'hosted' or state in ('idle', 'closed')),
  check ((parent_id is null) = (depth = 0))
);
comment on column session.epoch is 'fencing token: one higher at every claim, and whenever a run loses the session';
comment on column session.run_turns is 'turns since the session was last idle; the turn limit counts these';
comment on column session.takeovers is 'workers lost since the last saved turn';
create index session_parent on session (parent_id) where parent_id is not null;
create index session_root on session (root_id);
create index session_page on session (tenant, id desc);
create index session_live on session (state, queued_at) where state in ('queued', 'running');

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

-- A call the assistant asked for in message message_seq. It is answered in the tool message that follows that message.
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

create table task (
  id                  uuid primary key,
  tenant              text not null default 'default',
  parent_session_id   uuid not null references session,
  parent_tool_call_id text,
  root_session_id     uuid not null,
  session_id          uuid not null references session,
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
  not_before          timestamptz,
  deadline_at         timestamptz,
  hold_notice_until   timestamptz,
  result              text,
  error_code          text,
  error_message       text,
  stop_reason         text check (stop_reason in ('end_turn', 'max_turns', 'timeout', 'cancelled', 'budget', 'error')),
  partial             boolean not null default false,
  input_tokens        bigint not null default 0,
  output_tokens       bigint not null default 0,
  turns               bigint not null default 0,
  tool_calls          bigint not null default 0,
  created_at          timestamptz not null default now(),
  started_at          timestamptz,
  ended_at            timestamptz,
  unique (parent_session_id, parent_tool_call_id),
  check ((state in ('pending', 'running')) = (ended_at is null)),
  check ((ended_at is null) = (stop_reason is null)),
  check (state <> 'failed' or error_code is not null),
  check (state <> 'running' or (started_at is not null and deadline_at is not null))
);
comment on column task.parent_tool_call_id is 'the delegating call, <message seq>.<index>; null when submitted from outside';
comment on column task.hold_notice_until is 'a caller waits for the result until then; its notice is not due before';
create unique index task_one_live_per_session on task (session_id) where state in ('pending', 'running');
create index task_by_session on task (session_id, created_at);
create index task_by_root on task (root_session_id, id);
create index task_page on task (tenant, id desc);
create index task_deadline on task (deadline_at) where state = 'running';
create index task_ended on task (ended_at) where ended_at is not null;

-- What an ended task owes its parent; written in the transaction that ends the task.
create table outbox (
  id           uuid primary key,
  tenant       text not null default 'default',
  task_id      uuid not null references task on delete cascade,
  kind         text not null check (kind in ('notice', 'tool_result')),
  target       text not null check (target in ('session')),
  session_id   uuid not null,
  payload      jsonb not null,
  state        text not null default 'pending'
               check (state in ('pending', 'delivered', 'consumed', 'suppressed', 'dead')),
  attempts     int not null default 0,
  available_at timestamptz not null default now(),
  created_at   timestamptz not null default clock_timestamp(),
  delivered_at timestamptz,
  consumed_at  timestamptz,
  dead_at      timestamptz,
  last_error   text,
  unique (task_id, kind, target),
  check (state <> 'delivered' or delivered_at is not null),
  check (state <> 'dead' or dead_at is not null)
);
create index outbox_due on outbox (available_at, id) where state = 'pending';
create index outbox_by_session on outbox (session_id);

-- What waits to enter a session's transcript at its next turn boundary.
create table inbox (
  id               uuid primary key,
  position         bigint generated always as identity,
  session_id       uuid not null references session on delete cascade,
  kind             text not null check (kind in ('message', 'notice', 'tool_result')),
  body             jsonb not null,
  source_outbox_id uuid unique,
  created_at       timestamptz not null default now(),
  consumed_at      timestamptz,
  check (kind = 'message' or source_outbox_id is not null)
);
create index inbox_waiting on inbox (session_id, position) where consumed_at is null;

create table todo (
  session_id uuid not null references session on delete cascade,
  position   int not null,
  content    text not null,
  status     text not null check (status in ('pending', 'in_progress', 'completed')),
  primary key (session_id, position)
);

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
create index idempotency_key_expiry on idempotency_key (expires_at);
