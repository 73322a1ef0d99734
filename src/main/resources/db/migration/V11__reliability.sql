-- Every accepted task is counted in its tree and stands in the task table; one that was deleted is counted here. Trees
-- from before start with what they have.
alter table tree add column forgotten int not null default 0;
comment on column tree.forgotten is 'tasks that were deleted with their sessions; delegations minus these are there';
update tree set forgotten = delegations - (select count(*) from task where root_session_id = root_id);

-- For retention. The columns never change, so the indexes cost the many updates of a session nothing.
create index session_root_by_age on session (created_at) where parent_id is null;
create index event_by_age on event using brin (created_at);
