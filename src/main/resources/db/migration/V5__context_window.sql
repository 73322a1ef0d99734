-- The context window of models: what of a transcript is sent, and the summaries that stand for older messages.

-- session

alter table session
  add column stubs_to bigint not null default 0,
  add column stubs_at bigint not null default 0,
  add check (stubs_to >= 0 and stubs_at >= stubs_to);
comment on column session.stubs_to is 'results of tools in messages up to this seq are left out of what is sent; the transcript keeps them';
comment on column session.stubs_at is 'next_seq when stubs_to was set: the usage of earlier answers is that of a longer conversation';

alter table message
  add column covers_from bigint,
  add column covers_to bigint,
  drop constraint message_kind_check,
  add constraint message_kind_check check (kind in ('message', 'notice', 'command', 'summary')),
  add check ((kind = 'summary') = (covers_from is not null)),
  add check ((kind = 'summary') = (covers_to is not null)),
  add check (covers_from between 1 and covers_to and covers_to < seq);
comment on column message.covers_from is 'the first message that a summary is sent in place of; null for other messages';
comment on column message.covers_to is 'the last one';
create index message_summary on message (session_id, seq) where kind = 'summary';


-- view

create or replace view message_view as
select message.id, tenant, session_id, seq, role, message.kind, content, message.created_at, covers_from, covers_to
from message join session on session.id = session_id;
