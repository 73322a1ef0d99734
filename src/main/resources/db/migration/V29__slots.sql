-- node: how many runs it drives at a time. The sum over all live nodes is the number of slots.

alter table node add column slots int not null default 1000 check (slots >= 0);
comment on column node.slots is 'runs that it drives at a time; 0 while it stops. Nodes of an older version do not write it';

-- task: tasks that wait for a slot. A task waits for its parent's limit (slot_round is null), or for a slot. Both have no job.

alter table task add column slot_round bigint;
comment on column task.slot_round is 'not null: the pending task waits for a slot for its first run. A tenant''s tasks get theirs by priority, then round, then age; a parent has one task in each round';
comment on column task.admitted_at is 'null: the task is pending without a job. It waits until its parent has fewer live background tasks, or for a slot';

create index task_waiting on task (tenant, priority desc, slot_round, id)
  where state = 'pending' and admitted_at is null and slot_round is not null;
create index task_waiting_by_parent on task (parent_session_id, priority, slot_round)
  where state = 'pending' and admitted_at is null and slot_round is not null;

drop index task_held;
create index task_held on task (parent_session_id, priority desc, created_at, id)
  where state = 'pending' and admitted_at is null and slot_round is null;
