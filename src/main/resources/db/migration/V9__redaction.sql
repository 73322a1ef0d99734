-- task, outbox: with cleanup delete, the words of a child are deleted everywhere, not only in its transcript

alter table task add column redacted_at timestamptz;
comment on column task.redacted_at is 'cleanup delete: when prompt, description, label, command, result and error message were blanked, here and in the outbox, after the parent received the result';
comment on column task.cleaned_at is 'cleanup delete: when the transcripts of the child and its descendants were deleted and their events blanked';
create index task_to_redact on task (cleaned_at) where cleaned_at is not null and redacted_at is null;

alter table outbox add column redacted boolean not null default false;
comment on column outbox.redacted is 'payload and event were blanked after the delivery, because the task has cleanup delete';


-- view: one column more at the end, whatever columns the views have by now. The last "from" of each is that of the view itself.

do $$
declare shown record;
begin
  for shown in
    select * from (values ('task_view', 'redacted_at is not null as redacted'), ('delivery_view', 'redacted')) as v (name, col)
  loop
    execute 'create or replace view ' || shown.name || ' as '
      || regexp_replace(pg_get_viewdef(shown.name::regclass), '(.*)\mfrom\M', '\1, ' || shown.col || ' from', 'i');
  end loop;
end $$;
