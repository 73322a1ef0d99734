-- For the console, which shows the root sessions whose last run failed.

create index session_failed on session (tenant, updated_at) where error_code is not null and parent_id is null;
