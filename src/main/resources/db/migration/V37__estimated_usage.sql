-- message: the usage of an answer whose provider reports none is estimated.

alter table message add column usage_estimated boolean not null default false;
comment on column message.usage_estimated is 'whether the tokens were estimated, because the provider has not reported them';

do $$
begin
  execute 'create or replace view message_view as '
    || regexp_replace(pg_get_viewdef('message_view'::regclass), '(.*)\mfrom\M', '\1, message.usage_estimated from', 'i');
end $$;
