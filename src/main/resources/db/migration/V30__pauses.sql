-- pause: what operators have stopped for a time

create table pause (
  id         uuid primary key,
  scope      text not null check (scope in ('all', 'tenant', 'agent', 'provider')),
  name       text,
  tenant     text,
  reason     text not null,
  created_by text,
  created_at timestamptz not null default clock_timestamp(),
  check ((scope = 'all') = (name is null)),
  check (scope not in ('tenant', 'agent') or tenant is not null)
);
comment on table pause is 'While a row exists, the runs that it is about wait. Every node knows all rows from memory.';
comment on column pause.name is 'of the tenant, the agent or the provider; null when everything is paused';
comment on column pause.tenant is 'whose sessions wait; null: those of every tenant';
comment on column pause.created_by is 'the subject that made it; null without authentication';


-- session: held by a pause

alter table session
  add column paused_at    timestamptz,
  add column pause_id     uuid,
  add column pause_reason text;
comment on column session.paused_at is 'since when a pause holds the waiting session, which has no job until it ends; null in all other cases';
comment on column session.pause_id is 'the pause that holds it; its row may be deleted already';
comment on column session.pause_reason is 'what the operator says about the pause';
create index session_paused on session (parent_id) where state = 'waiting' and paused_at is not null;


-- task: time-outs stop during a pause

alter table task
  add column paused_at    timestamptz,
  add column paused_below boolean not null default false;
comment on column task.paused_at is 'since when its time-out does not run, because a pause holds its session or one below it that it waits for; null in all other cases';
comment on column task.paused_below is 'only sessions below it are held';
create index task_paused_below on task (session_id) where paused_below and state in ('pending', 'running');


-- view

do $$
begin
  execute 'create or replace view session_view as '
    || regexp_replace(pg_get_viewdef('session_view'::regclass), '(.*)\mfrom\M', '\1, paused_at, pause_id, pause_reason from', 'i');
end $$;
