-- Every row that the read model shows has its tenant, so that no query can forget it. The columns "tenant" of session, task,
-- outbox, api_key, session_token and audit keep their default for nodes of an older version, which insert without it during an
-- upgrade; this version names the tenant in every insert.


-- auth: administrators manage the tenants and their keys, so they belong to the first one

alter table api_key add constraint api_key_admin_of_default check (role <> 'admin' or tenant = 'default');


-- task: success rates of one tenant read an index, not the rows

drop index task_by_end;
create index task_by_end on task (ended_at) include (state, tenant);


-- view: the tenant is the last column. The last "from" of each is that of the view itself.

do $$
declare shown record;
begin
  for shown in
    select * from (values
      ('tree_view', '(select session.tenant from session where session.id = tree.root_id) as tenant'),
      ('session_rights_view', 'session.tenant'),
      ('task_rights_view', 'tenant')) as v (name, col)
  loop
    execute 'create or replace view ' || shown.name || ' as '
      || regexp_replace(pg_get_viewdef(shown.name::regclass), '(.*)\mfrom\M', '\1, ' || shown.col || ' from', 'i');
  end loop;
end $$;

create or replace view session_search_view as
select newest.id, newest.text, tenant.id as tenant
from tenant cross join lateral (
  select session.id, lower(title) as text from session where session.tenant = tenant.id order by session.id desc limit 10000) newest;
comment on view session_search_view is 'The text that a search for words looks at: that of the newest 10,000 sessions of each tenant, so that no search reads all of them.';

create or replace view task_search_view as
select newest.id, newest.text, tenant.id as tenant
from tenant cross join lateral (
  select task.id, lower(concat_ws(' ', description, label)) as text
  from task where task.tenant = tenant.id order by task.id desc limit 10000) newest;
comment on view task_search_view is 'The text that a search for words looks at: that of the newest 10,000 tasks of each tenant, so that no search reads all of them.';

create or replace view state_count_view as
select 'session:' || state as id, 'session' as subject, state, count(*) as amount, tenant from session group by tenant, state
union all
select 'task:' || state, 'task', state, count(*), tenant from task group by tenant, state
union all
select 'delivery:' || state, 'delivery', state, count(*), tenant from outbox group by tenant, state;

create or replace view success_rate_view as
select 1 as id, rates.five_minutes, rates.hour, rates.day, tenant.id as tenant
from tenant cross join lateral (
  select avg(success) filter (where ended_at > now() - interval '5 minutes') as five_minutes,
         avg(success) filter (where ended_at > now() - interval '1 hour') as hour,
         avg(success) as day
  from (select ended_at, case state when 'completed' then 1 else 0 end::float8 as success
        from task
        where task.tenant = tenant.id and ended_at > now() - interval '24 hours' and state <> 'cancelled') as ended) rates;
comment on view success_rate_view is 'Of each tenant, the share of completed tasks among those that ended and were not cancelled; null when no task ended in the period.';

comment on view oldest_view is 'How long the oldest pending task, queued session and due delivery of all tenants have waited; null when there is none. Read by the gauges alone.';

create view oldest_of_tenant_view as
select 1 as id,
       (select extract(epoch from clock_timestamp() - min(created_at))::float8
        from task where task.tenant = tenant.id and state = 'pending') as pending_seconds,
       (select extract(epoch from clock_timestamp() - min(available_at))::float8
        from outbox
        where outbox.tenant = tenant.id and state = 'pending' and available_at < clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
          and (target <> 'session'
               or not exists (select 1 from session where session.id = session_id and kind = 'external'))
          and (target = 'session' or sequence is not null
               or not exists (select 1 from outbox earlier
                              where coalesce(earlier.callback_task_id, earlier.session_id)
                                      = coalesce(outbox.callback_task_id, outbox.session_id)
                                and earlier.state = 'pending'
                                and earlier.sequence is not null and not earlier.alone))
       ) as undelivered_seconds,
       tenant.id as tenant
from tenant;
comment on view oldest_of_tenant_view is 'The same as oldest_view of each tenant.';
