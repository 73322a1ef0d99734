-- Where a parent hosted elsewhere wants to be told. Apart from its session, so that nothing that reads sessions sees the secret.
create table callback (
  session_id  uuid primary key references session on delete cascade,
  url         text not null,
  secret      text not null,
  disabled_at timestamptz,
  created_at  timestamptz not null default now()
);
comment on column callback.disabled_at is 'since its receiver said that it is gone; null while it is active';

-- A row that is posted is claimed for a while by the node that posts it, for no transaction stays open during an HTTP call.
alter table outbox
  add column lane          text,
  add column event         jsonb,
  add column claim         uuid,
  add column claimed_until timestamptz,
  drop constraint outbox_target_check,
  add check (target in ('session', 'webhook')),
  add check ((target = 'webhook') = (lane is not null)),
  add check ((target = 'webhook') = (event is not null)),
  add check ((claim is null) = (claimed_until is null));
comment on column outbox.lane is 'the receiver; so many rows of one are posted at once, so that a slow one holds up no other';
comment on column outbox.event is 'what is posted, without the envelope; payload is what its session keeps';
create index outbox_page on outbox (tenant, id desc);
create index outbox_dead on outbox (id desc) where state = 'dead';
