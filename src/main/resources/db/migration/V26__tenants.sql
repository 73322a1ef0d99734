-- tenant

create table tenant (
  id                   text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  weight               int not null default 1 check (weight >= 1),
  max_concurrent_runs  int check (max_concurrent_runs >= 0),
  max_pending_tasks    int check (max_pending_tasks >= 0),
  delegations_per_hour int check (delegations_per_hour >= 0),
  tokens_per_day       bigint check (tokens_per_day >= 0),
  cost_per_day         bigint check (cost_per_day >= 0),
  models               jsonb not null default '{}',
  version              bigint not null default 0,
  created_at           timestamptz not null default clock_timestamp(),
  changed_at           timestamptz not null default clock_timestamp()
);
comment on table tenant is 'What each tenant has. A null is the setting of the service, or no limit where there is none.';
comment on column tenant.cost_per_day is 'in millionths of the unit of the price list';
comment on column tenant.models is 'own_only, allowed (absent: all), and providers: base_url, api_key as encrypted text, key_id of the key that encrypts it';
comment on column tenant.version is 'rises with each change, so that two changes at the same time do not overwrite each other';
comment on column tenant.changed_at is 'each node reads the table again when it has changed lately';
create index tenant_changed on tenant (changed_at);

insert into tenant (id) values ('default');

create table tenant_hour (
  tenant      text not null,
  hour        timestamptz not null,
  slot        smallint not null,
  delegations int not null,
  primary key (tenant, hour, slot)
) with (fillfactor = 50);
comment on table tenant_hour is 'Delegations of a tenant that has a limit of them, by hour. Several rows per hour, so that submissions do not wait for each other.';
create index tenant_hour_age on tenant_hour (hour);
