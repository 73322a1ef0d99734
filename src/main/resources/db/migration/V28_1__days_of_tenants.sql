-- session: those that wait because their tenant has used up its day. Few rows are in this index.

create index session_over_quota on session (tenant, id) where state = 'waiting' and error_code = 'quota_exceeded';


-- tenant_day: the rows of a day are deleted when they are old

create index tenant_day_age on tenant_day (day);


-- view: statistics of each tenant

create view usage_today_view as
select 1 as id, coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(cached_tokens), 0)::bigint as cached_tokens,
       sum(cost)::bigint as cost, tenant.id as tenant
from tenant left join tenant_day on tenant_day.tenant = tenant.id and day = (now() at time zone 'utc')::date
group by tenant.id;
comment on view usage_today_view is 'What each tenant has used since midnight UTC.';

create view queue_wait_view as
select 1 as id, wait.p50, wait.p95, tenant.id as tenant
from tenant cross join lateral (
  select percentile_cont(0.5) within group (order by seconds) as p50,
         percentile_cont(0.95) within group (order by seconds) as p95
  from (select extract(epoch from started_at - created_at)::float8 as seconds
        from task
        where task.tenant = tenant.id and ended_at > now() - interval '1 hour' and started_at is not null
        order by ended_at desc limit 10000) as newest) as wait;
comment on view queue_wait_view is 'How long the tasks of each tenant waited for their start: those that ended in the last hour, at most the newest 10,000; null when none did.';
