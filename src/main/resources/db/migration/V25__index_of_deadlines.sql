-- task: an index that only the search for deadlines can use. With its old condition, plans that were made while no task was
-- live also used it to find the live task of a session, which reads the whole index when thousands are live.

drop index task_deadline;
create index task_deadline on task (deadline_at) where deadline_at is not null and state in ('pending', 'running');
