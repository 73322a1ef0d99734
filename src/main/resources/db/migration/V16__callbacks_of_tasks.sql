-- task, outbox, callback: a task can have a callback of its own, to which its start, its progress and its end are posted

alter table task add column callback_events text[];
comment on column task.callback_events is 'what is posted to the callback of the task: started, progress, ended; null without a callback';

alter table callback drop constraint callback_pkey;
alter table callback alter column session_id drop not null;
alter table callback
  add unique (session_id),
  add column task_id uuid unique references task on delete cascade,
  add check (num_nonnulls(session_id, task_id) = 1),
  add column id uuid primary key generated always as (coalesce(session_id, task_id)) stored;
comment on table callback is 'Webhook address of a root session: for results when the session is external, for messages of the agent when it is hosted; or of one task: for its start, its progress and its end. A table of its own, so that queries on sessions and tasks never read the secret.';
comment on column callback.session_id is 'null for the callback of a task';
comment on column callback.task_id is 'null for the callback of a session';
comment on column callback.id is 'the session or the task';

alter table outbox add column callback_task_id uuid references task on delete cascade;
comment on column outbox.callback_task_id is 'the task whose callback gets the event; null for a delivery to a session or to its callback';
comment on column outbox.kind is 'notice, tool_result: the end of a task; message: a message of a session; event, progress: for the callback of a task';
create index outbox_of_callback on outbox (callback_task_id) where callback_task_id is not null;

-- The checks of the kinds and targets are written again with the new ones.
do $$
declare old record;
begin
  for old in
    select conname from pg_constraint
    where conrelid = 'outbox'::regclass and contype = 'c' and pg_get_constraintdef(oid) ~ '\m(kind|target)\M'
  loop
    execute format('alter table outbox drop constraint %I', old.conname);
  end loop;
end $$;
alter table outbox
  add check (kind in ('notice', 'tool_result', 'message', 'event', 'progress')),
  add check (target in ('session', 'webhook', 'task_webhook')),
  add check ((kind in ('notice', 'tool_result')) = (task_id is not null)),
  add check ((kind in ('notice', 'tool_result')) = (payload is not null)),
  add check ((kind = 'message') = (message_id is not null)),
  add check (kind <> 'message' or target = 'webhook'),
  add check ((kind in ('event', 'progress')) = (callback_task_id is not null)),
  add check ((target = 'task_webhook') = (callback_task_id is not null)),
  add check ((target = 'session') = (lane is null)),
  add check ((target = 'session') = (event is null)),
  add check (sequence is null or target <> 'session');

-- Of each callback, and no longer of each session, one post is in turn.
drop index outbox_in_turn;
create unique index outbox_in_turn on outbox ((coalesce(callback_task_id, session_id)))
  where state = 'pending' and sequence is not null and not alone;
drop index outbox_unposted;
create index outbox_unposted on outbox ((coalesce(callback_task_id, session_id)), created_at, id)
  where state = 'pending' and target <> 'session' and sequence is null;

create or replace view delivery_view as
select id, tenant, coalesce(task_id, callback_task_id) as task_id, message_id, session_id, kind, target, state, attempts,
       case state when 'pending' then available_at end as next_attempt_at,
       created_at, delivered_at, consumed_at, dead_at, last_error, redacted
from outbox;

create or replace view oldest_view as
select 1 as id,
       (select extract(epoch from clock_timestamp() - min(created_at))::float8
        from task where state = 'pending') as pending_seconds,
       (select extract(epoch from clock_timestamp() - min(queued_at))::float8
        from session where state = 'queued') as queued_seconds,
       (select extract(epoch from clock_timestamp() - min(available_at))::float8
        from outbox
        where state = 'pending' and available_at < clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
          and (target <> 'session'
               or not exists (select 1 from session where session.id = session_id and kind = 'external'))
          and (target = 'session' or sequence is not null
               or not exists (select 1 from outbox earlier
                              where coalesce(earlier.callback_task_id, earlier.session_id)
                                      = coalesce(outbox.callback_task_id, outbox.session_id)
                                and earlier.state = 'pending'
                                and earlier.sequence is not null and not earlier.alone))
       ) as undelivered_seconds;
