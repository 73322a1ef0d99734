-- Input tokens that providers read from their caches. They are part of input_tokens.

alter table session add column cached_input_tokens bigint not null default 0;
comment on column session.cached_input_tokens is 'the part of input_tokens that providers read from their caches';

alter table message add column cached_input_tokens bigint;
comment on column message.cached_input_tokens is 'the part of input_tokens that the provider read from its cache';


-- task: the same, and answers that reached the token limit. The old rows need no check, because every old reason is still one.

alter table task
  add column cached_input_tokens bigint not null default 0,
  drop constraint if exists task_stop_reason_check;
alter table task add constraint task_stop_reason_check
  check (stop_reason in ('end_turn', 'max_turns', 'max_tokens', 'timeout', 'cancelled', 'budget', 'error')) not valid;
comment on column task.cached_input_tokens is 'the part of input_tokens that providers read from their caches';


-- session: the mark of the service's own words

alter table session
  add column nonce text not null default substr(replace(gen_random_uuid()::text, '-', ''), 1, 12);
comment on column session.nonce is 'part of the tag that encloses notices in what is sent to the model; nobody else sees it, so that nobody can imitate a notice';


-- view: one column more at the end, whatever columns the views have by now. The last "from" of each is that of the view itself.

do $$
declare shown text;
begin
  foreach shown in array array['session_view', 'task_view'] loop
    execute 'create or replace view ' || shown || ' as '
      || regexp_replace(pg_get_viewdef(shown::regclass), '(.*)\mfrom\M', '\1, cached_input_tokens from', 'i');
  end loop;
end $$;
