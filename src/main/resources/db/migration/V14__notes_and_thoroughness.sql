-- task: what the service has to say about it, and how far an explorer goes

alter table task add column notes jsonb not null default '[]' check (jsonb_typeof(notes) = 'array');
comment on column task.notes is 'sentences of the service about the task, for its caller; an array of texts';

alter table task add column thoroughness text check (thoroughness in ('quick', 'medium', 'thorough'));
comment on column task.thoroughness is 'how far the agent explore goes; null when the caller did not say';


-- view: two columns more at the end, whatever columns the view has by now. The last "from" is that of the view itself.

do $$
begin
  execute 'create or replace view task_view as '
    || regexp_replace(pg_get_viewdef('task_view'::regclass), '(.*)\mfrom\M', '\1, task.notes, task.thoroughness from', 'i');
end $$;
