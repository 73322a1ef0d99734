-- session: what it waits for, in its own row

alter table session
  add column waits_for   text,
  add column waits_since timestamptz,
  add column waits_until timestamptz,
  add column waits_order bigint,
  add column waits_on    uuid;
alter table session rename column away_since to model_away_since;
alter table session rename column tries to model_tries;
do $$
begin
  execute replace(pg_get_functiondef('is_consistent(session)'::regprocedure), 'one.tries', 'one.model_tries');
end $$;
comment on column session.waits_for is 'the one reason for which the session waits without a job: limit, slot, retry, model, memory, pause, quota, below or answer';
comment on column session.waits_since is 'since when it waits for this reason';
comment on column session.waits_until is 'when it continues at the latest, or looks again; null if something else ends the wait';
comment on column session.waits_order is 'the place among those that wait for a limit or for a slot, the lowest first: 10^16 times (100 - priority), plus the age in microseconds or the round';
comment on column session.waits_on is 'the pause that it waits for; its row may be deleted already';
comment on column session.model_away_since is 'the first failed model call since the last saved turn';
comment on column session.model_tries is 'runs that ended with a failed model call since the last saved turn';

update session set
  waits_for = case
    when paused_at is not null and pause_id is not null then 'pause'
    when paused_at is not null then 'quota'
    when session.not_before is not null and error_code is null then 'memory'
    when session.not_before is not null then 'model'
    else coalesce(
      (select case when task.not_before is not null then 'retry' when admitted_at is null and slot_round is null then 'limit'
                   when admitted_at is null then 'slot' end
       from task where task.session_id = session.id and task.state = 'pending'), 'answer') end,
  waits_since = coalesce(paused_at, updated_at),
  waits_until = coalesce(session.not_before,
    (select task.not_before from task where task.session_id = session.id and task.state = 'pending')),
  waits_order = (
    select (100 - priority) * 10000000000000000 + coalesce(slot_round, (extract(epoch from task.created_at) * 1000000)::bigint)
    from task where task.session_id = session.id and task.state = 'pending' and task.not_before is null and admitted_at is null),
  waits_on = pause_id
where state = 'waiting';

-- A child that has said its last word while tasks below it are live was idle.
update session set state = 'waiting', waits_for = 'below', waits_since = held_since
from task where task.session_id = session.id and held_since is not null and task.state = 'running' and session.state = 'idle';

drop view session_view;
drop index session_paused, session_put_off;
alter table session drop column not_before, drop column paused_at, drop column pause_id, drop column pause_reason;

alter table session add constraint session_waits_for_a_reason check ((state = 'waiting') = (waits_for is not null));
create index session_waits on session (waits_for, waits_until) where state = 'waiting';
create index session_waits_for_slot on session (tenant, waits_order) where waits_for = 'slot';
create index session_waits_by_parent on session (parent_id, waits_order) where waits_for in ('limit', 'slot');
comment on index session_waits is 'the sweeps: what may continue now';
comment on index session_waits_for_slot is 'the next children of each tenant that get slots';
comment on index session_waits_by_parent is 'the next children of each parent that get room, and the last round of a parent';

do $$
begin
  execute replace(pg_get_functiondef('is_consistent(session)'::regprocedure), 'and one.depth >= 0',
    $q$and (one.waits_for is null or one.waits_for in ('limit', 'slot', 'retry', 'model', 'memory', 'pause', 'quota', 'below', 'answer'))
    and (one.waits_for is null) = (one.waits_since is null)
    and (one.waits_for is not null or (one.waits_until is null and one.waits_order is null and one.waits_on is null))
    and (one.waits_for is null or (one.waits_for in ('limit', 'slot')) = (one.waits_order is not null))
    and (one.waits_for is not distinct from 'pause') = (one.waits_on is not null)
    and one.depth >= 0$q$);
end $$;


-- task: its session says what it waits for. A task for a busy child has no session yet.

drop index task_put_off, task_held_by_children, task_held, task_waiting, task_waiting_by_parent, task_paused_below;
alter table task rename column in_line_for to queued_for;
alter table task rename column line_place to queue_position;
alter table task rename column paused_at to clock_stopped_at;
do $$
begin
  execute replace(replace(replace(replace(pg_get_functiondef('is_consistent(task)'::regprocedure),
    'in_line_for', 'queued_for'), 'line_place', 'queue_position'), ' and one.not_before is null', ''), 'and one.admitted_at is not null', '');
end $$;
alter table task drop column not_before, drop column held_since, drop column admitted_at, drop column slot_round, drop column paused_below;
comment on column task.queued_for is 'the child that works on another task; set to null when the task gets the child or ends';
comment on column task.queue_position is 'order among the tasks queued for one child, the lowest first';
comment on column task.clock_stopped_at is 'since when its time-out does not run, because its session waits for a pause or a quota, or one below it that it waits for; null in all other cases';
create index task_clock_stopped on task (session_id) where clock_stopped_at is not null and state in ('pending', 'running');


-- view

create view session_view as
select session.id, session.tenant, parent_id, root_id, depth, session.agent, kind, title, state, session.model, workspace,
       input_tokens, output_tokens, turns, tool_calls, origin, metadata, session.created_at, updated_at,
       callback.url as callback_url, callback.disabled_at as callback_disabled_at,
       (select count(*) from inbox
        where inbox.session_id = session.id and inbox.kind = 'notice' and consumed_at is null) as waiting_notices,
       waits_for, waits_since, waits_until, waits_on,
       case when waits_on is not null then coalesce(pause.reason, 'it has just ended') end as pause_reason,
       error_code, error_message, error_at, cached_input_tokens, cost
from session
  left join callback on callback.session_id = session.id
  left join pause on pause.id = waits_on;
comment on column session_view.waiting_notices is 'notices in the inbox that no turn has read yet';

do $$
begin
  execute 'create or replace view task_view as '
    || regexp_replace(pg_get_viewdef('task_view'::regclass), '(.*)\mfrom\M', $q$\1,
         case when task.queued_for is not null then 'child'
              else (select child.waits_for from session child where child.id = task.session_id and task.ended_at is null) end as waits_for,
         case when task.queued_for is not null then task.created_at
              else (select child.waits_since from session child where child.id = task.session_id and task.ended_at is null) end as waits_since,
         (select child.waits_until from session child where child.id = task.session_id and task.ended_at is null) as waits_until from$q$, 'i');
end $$;
