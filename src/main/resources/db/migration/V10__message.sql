-- What sessions said to their users in the middle of their work: a call that is made again finds that it was said. The words are in the event, and in the call.
create table outgoing_message (
  session_id uuid not null references session on delete cascade,
  call_key   text not null,
  id         uuid not null unique,
  created_at timestamptz not null default clock_timestamp(),
  primary key (session_id, call_key)
);
comment on column outgoing_message.call_key is 'the call, <message seq>.<index>';
