-- event: more types. The old rows need no check, because every old type is still one.

alter table event drop constraint if exists event_type_check;
alter table event add constraint event_type_check
  check (type in ('session.message', 'session.state', 'session.failed', 'session.taken_over', 'session.notices_held',
                  'session.summarised',
                  'subagent.created', 'subagent.started', 'subagent.completed', 'subagent.failed',
                  'background_task.started', 'background_task.progress', 'background_task.completed',
                  'background_task.failed', 'background_task.cancelled',
                  'task.retrying', 'model.started', 'model.ended',
                  'tool.started', 'tool.progress', 'tool.ended', 'delivery.delivered', 'delivery.dead')) not valid;


-- session

alter table tool_call add column title text;
comment on column tool_call.title is 'what the call is about, in one line for people; null for calls that an older version planned';

alter table message
  add column task_id    uuid,
  add column model      text,
  add column started_at timestamptz;
comment on column message.task_id is 'the task that a notice reports';
comment on column message.model is 'the model that wrote the message; null for messages of others';
comment on column message.started_at is 'when the model call began';


-- view

create or replace view message_view as
select message.id, tenant, session_id, seq, role, message.kind, content, message.created_at, covers_from, covers_to,
       message.input_tokens, message.output_tokens, message.task_id, message.model, message.started_at,
       message.cached_input_tokens
from message join session on session.id = session_id;
