-- session and task: held by a pause, or because the tenant has used up its day

comment on column session.paused_at is 'since when the waiting session is held, by a pause or because its tenant has used up its day; it has no job until that ends. Null in all other cases';
comment on column session.pause_id is 'the pause that holds it; its row may be deleted already. Null when a quota of the day holds it';
comment on column session.not_before is 'a session that waits for its model has no job until then; for a held one, when the next day begins. Null in all other cases';
comment on column task.paused_at is 'since when its time-out does not run, because its session is held, or one below it that it waits for; null in all other cases';

-- Those that wait for the next day are found by the index of held sessions.
drop index session_over_quota;
update session set paused_at = clock_timestamp() where state = 'waiting' and error_code = 'quota_exceeded' and not_before is not null;
