-- auth

create table api_key (
  id               text primary key,
  hash             bytea not null,
  name             text not null,
  tenant           text not null default 'default',
  role             text not null check (role in ('viewer', 'agent', 'operator', 'admin', 'metrics')),
  from_environment boolean not null default false,
  created_at       timestamptz not null default clock_timestamp(),
  created_by       text,
  expires_at       timestamptz,
  last_used_at     timestamptz
);
comment on table api_key is 'Keys of clients. A row is deleted when its key is revoked.';
comment on column api_key.hash is 'SHA-256 of the whole key, which is shown once and not stored';
comment on column api_key.from_environment is 'the key of ERRAND_ADMIN_KEY';
comment on column api_key.created_by is 'the subject that made the key; null for that of the environment';
comment on column api_key.last_used_at is 'written at most once a minute';

create table session_token (
  id         text primary key,
  hash       bytea not null,
  session_id uuid not null references session on delete cascade,
  tenant     text not null default 'default',
  key_id     text references api_key on delete cascade,
  created_by text,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
comment on table session_token is 'Tokens that can use one session and what is below it. A token ends with its session and with the key that made it.';
comment on column session_token.key_id is 'null when a token of the identity provider made it';
comment on column session_token.created_by is 'null: made while there was no authentication; not accepted otherwise';
create index session_token_session on session_token (session_id);
create index session_token_key on session_token (key_id) where key_id is not null;
create index session_token_expiry on session_token (expires_at);

create table audit (
  id         uuid primary key,
  tenant     text not null default 'default',
  at         timestamptz not null default clock_timestamp(),
  subject    text not null,
  action     text not null,
  session_id uuid,
  target     text,
  details    jsonb
);
comment on table audit is 'Who did what, written in the transaction of the act. It contains no prompts and no secrets, and outlives what it is about.';
comment on column audit.subject is 'key:<id>, token:<id>, oidc:<subject>, or anonymous';
comment on column audit.session_id is 'the session that was used; null for acts on nothing of a session';
comment on column audit.target is 'the task, delivery, key or token that was used';
create index audit_page on audit (tenant, id desc);
create index audit_session on audit (session_id, id desc) where session_id is not null;
create index audit_subject on audit (subject, id desc);
create index audit_by_age on audit using brin (at);


-- session

alter table session add column owner text;
comment on column session.owner is 'the subject that opened the root; null for children, and for roots opened without authentication';
create index session_owner on session (owner, id desc) where owner is not null;


-- task

comment on column idempotency_key.key is 'as the client sent it; for an authenticated client with its subject and a line feed before it, so that no client gets the answer to another one';


-- view

create view audit_view as
select id, tenant, at, subject, action, session_id, target, details from audit;

create view lineage_view as
select session.id, session.tenant, session.parent_id, session.root_id, root.owner
from session join session root on root.id = session.root_id;
comment on view lineage_view is 'Whose tree a session belongs to. Nothing of it changes.';
