-- What a session last saw of a file; an edit needs the file to be still the same.
create table seen_file (
  session_id uuid not null references session on delete cascade,
  path       text not null,
  sha256     text not null,
  seen_at    timestamptz not null default now(),
  primary key (session_id, path)
);
comment on column seen_file.path is 'relative to the session''s workspace, all links resolved; the digest of a path that is too long for the key';

-- What a call was about to do to a file, written down before it does it: a call that is made again finds out how far it got.
create table file_change (
  session_id    uuid not null references session on delete cascade,
  call_key      text not null,
  path          text not null,
  before_sha256 text,
  after_sha256  text not null,
  primary key (session_id, call_key)
);
comment on column file_change.call_key is 'the call, <message seq>.<index>';
comment on column file_change.before_sha256 is 'null when there was no such file';
