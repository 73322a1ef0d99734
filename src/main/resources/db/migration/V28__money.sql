-- message, session, task: what model calls cost, in millionths of the currency of the price list

alter table message add column cost bigint;
comment on column message.cost is 'millionths of the currency of the price list, computed when the call was answered; null when the model had no price';

alter table session add column cost bigint;
comment on column session.cost is 'sum over the turns and summaries whose model had a price; null when there is none';

alter table task add column cost bigint;
comment on column task.cost is 'sum over the turns and summaries of the task whose model had a price; null when there is none';


-- tree: a limit in money

alter table tree
  add column cost     bigint not null default 0,
  add column max_cost bigint check (max_cost >= 0);
comment on column tree.cost is 'what all model calls have cost; max_cost applies to it';
comment on column tree.max_cost is 'null: no limit';


-- tenant_day: what a tenant has used on a day. Each saved turn adds to one of several rows, in its own transaction, so that no row is hot.

create table tenant_day (
  tenant        text     not null,
  day           date     not null,
  slot          smallint not null,
  tokens        bigint   not null,
  cached_tokens bigint   not null,
  cost          bigint,
  primary key (tenant, day, slot)
) with (fillfactor = 50);
comment on column tenant_day.day is 'in UTC, by the clock of the database';
comment on column tenant_day.slot is 'chosen at random; the total of a day is the sum over its slots';
comment on column tenant_day.tokens is 'input and output tokens, without the input that providers read from their caches';
comment on column tenant_day.cost is 'millionths of the currency of the price list; null when no model had a price';


-- view: more columns at the end, whatever columns the views have by now. The last "from" of each is that of the view itself.

do $$
declare shown record;
begin
  for shown in
    select * from (values ('session_view', 'cost'), ('task_view', 'cost'), ('message_view', 'message.cost'),
                          ('tree_view', 'max_cost')) as v (name, col)
  loop
    execute 'create or replace view ' || shown.name || ' as '
      || regexp_replace(pg_get_viewdef(shown.name::regclass), '(.*)\mfrom\M', '\1, ' || shown.col || ' from', 'i');
  end loop;
end $$;
