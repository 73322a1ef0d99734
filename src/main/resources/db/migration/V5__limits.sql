-- What one tree of sessions may use, and what of it is used. One row for each root, shared by all below it.
create table tree (
  root_id              uuid primary key references session on delete cascade,
  max_depth            int not null check (max_depth >= 0),
  max_delegations      int not null check (max_delegations >= 0),
  max_background_tasks int not null check (max_background_tasks >= 0),
  max_tokens           bigint check (max_tokens >= 0),
  delegations          int not null default 0,
  tokens               bigint not null default 0,
  check (delegations between 0 and max_delegations)
);
comment on column tree.max_background_tasks is 'of one parent at a time';
comment on column tree.max_tokens is 'null: no limit';

-- Trees from before there were limits have the defaults; what they delegated until now is not counted.
insert into tree (root_id, max_depth, max_delegations, max_background_tasks, tokens)
select id, 5, 64, 10,
       (select sum(input_tokens + output_tokens) from session member where member.root_id = session.id)
from session where parent_id is null;

alter table task
  add column admitted_at timestamptz default now(),
  add check (state <> 'running' or (admitted_at is not null and not_before is null));
comment on column task.admitted_at is 'null: held back until its parent has fewer background tasks; without a job';
comment on column task.not_before is 'a failed attempt is not tried again before; without a job until then';

create index task_live_by_parent on task (parent_session_id) where state in ('pending', 'running');
create index task_pending on task (tenant) where state = 'pending';
create index task_held on task (parent_session_id, priority desc, created_at, id)
  where state = 'pending' and admitted_at is null;
create index task_put_off on task (not_before) where state = 'pending' and not_before is not null;
drop index task_deadline;
create index task_deadline on task (deadline_at) where state in ('pending', 'running');
