-- task: the list of tasks that failed does not read the many that did not. Few rows are in this index, and only their end writes it.

create index task_unsuccessful on task (id desc) where state in ('failed', 'cancelled', 'timed_out');
