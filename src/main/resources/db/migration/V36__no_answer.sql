-- task: a child may end without an answer. Its task has completed with what the child said before, and is no success.

do $$
begin
  execute replace(pg_get_functiondef('is_consistent(task)'::regprocedure), $q$'max_tokens', $q$, $q$'max_tokens', 'no_answer', $q$);
end $$;


-- view: success rates count it as a failure, and read an index, not the rows

drop index task_by_end;
create index task_by_end on task (ended_at) include (state, tenant, stop_reason);

create or replace view success_rate_view as
select 1 as id, rates.five_minutes, rates.hour, rates.day, tenant.id as tenant
from tenant cross join lateral (
  select avg(success) filter (where ended_at > now() - interval '5 minutes') as five_minutes,
         avg(success) filter (where ended_at > now() - interval '1 hour') as hour,
         avg(success) as day
  from (select ended_at, case when state = 'completed' and stop_reason <> 'no_answer' then 1 else 0 end::float8 as success
        from task
        where task.tenant = tenant.id and ended_at > now() - interval '24 hours' and state <> 'cancelled') as ended) rates;
comment on view success_rate_view is 'Of each tenant, the share of tasks that completed with an answer, among those that ended and were not cancelled; null when no task ended in the period.';
