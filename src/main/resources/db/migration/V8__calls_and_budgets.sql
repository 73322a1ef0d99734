-- message: the call that gave an answer, and the delivery that brought a notice

alter table message
  add column model_ms       bigint,
  add column model_attempts int,
  add column delivery_id    uuid;
comment on column message.model_ms is 'how long the model call took, in milliseconds';
comment on column message.model_attempts is 'the attempt, of the run that got it, that gave the answer';
comment on column message.delivery_id is 'the outbox row that brought a notice';

create or replace view message_view as
select message.id, tenant, session_id, seq, role, message.kind, content, message.created_at, covers_from, covers_to,
       message.input_tokens, message.output_tokens, message.task_id, message.model, message.started_at,
       message.cached_input_tokens, message.model_ms, message.model_attempts, message.delivery_id
from message join session on session.id = session_id;


-- tree: tokens that providers read from their caches do not count against the budget.

alter table tree add column cached_tokens bigint not null default 0;
comment on column tree.tokens is 'input and output tokens of all model calls; max_tokens applies to these. Without the input that providers read from their caches';
comment on column tree.cached_tokens is 'input tokens that providers read from their caches';


-- session

alter table session drop column wakes;
