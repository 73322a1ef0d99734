-- For the console: the root sessions whose last run failed, and logins, which are session tokens without a session.

create index session_failed on session (tenant, updated_at) where error_code is not null and parent_id is null;

alter table session_token alter column session_id drop not null;
alter table session_token add column role text;
alter table session_token add constraint session_token_is_of_a_session_or_a_login check ((session_id is null) = (role is not null));
comment on table session_token is 'Tokens that can use one session and what is below it, and logins of the console. A token ends with its session and with the key that made it.';
comment on column session_token.role is 'Of a login: what the person may do, who is created_by. Null for a token of a session.';
comment on column session_token.expires_at is 'Moves with each use of a login.';
