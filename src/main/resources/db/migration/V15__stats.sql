-- Counts by state and the share of successes over a day are read from this index alone, not from the wide rows. It takes
-- the place of one on ended_at; a task's changes of state write as many index entries as before, its acceptance one more.
drop index task_ended;
create index task_by_end on task (ended_at) include (state);
