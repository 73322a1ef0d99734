-- session: those that wait because their tenant has used up its day. Few rows are in this index.

create index session_over_quota on session (tenant, id) where state = 'waiting' and error_code = 'quota_exceeded';


-- tenant_day: the rows of a day are deleted when they are old

create index tenant_day_age on tenant_day (day);
