-- The numbers of one tree's events. Its row is locked from the moment a transaction numbers its events until it has
-- committed, so that the order of the numbers is the order of the commits.
create table event_log (
  root_id     uuid primary key references session on delete cascade,
  last_number bigint not null check (last_number >= 0)
);

-- What happened, for those who watch; written in the transaction that it tells of.
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
                             'tool.started', 'tool.ended', 'delivery.dead')),
  subject    uuid,
  data       jsonb not null,
  created_at timestamptz not null,
  primary key (root_id, number)
);
comment on column event.session_id is 'the session in whose stream it is';
comment on column event.subject is 'the task it is about';
create index event_by_session on event (session_id, number);

alter table task add column progress_at timestamptz;
comment on column task.progress_at is 'when its progress was last told; at most once a second';
