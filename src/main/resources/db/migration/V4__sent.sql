-- What was sent: the requests of turns, if they are kept.

create table sent_request (
  session_id uuid not null references session on delete cascade,
  seq        bigint not null,      -- the answer, in message
  sent_at    timestamptz not null, -- when the call that gave the answer began
  request    bytea,                -- JSON, masked and compressed (zlib); null when it was too large to be kept
  primary key (session_id, seq)
);
comment on table sent_request is 'The requests of turns as they were sent to models, for errand.sent.keep.';

-- It is compressed already.
alter table sent_request alter column request set storage external;

-- For retention.
create index sent_request_age on sent_request (sent_at);
