-- Input tokens that providers read from their caches. They are part of input_tokens.

alter table session add column cached_input_tokens bigint not null default 0;
comment on column session.cached_input_tokens is 'the part of input_tokens that providers read from their caches';

alter table message add column cached_input_tokens bigint;
comment on column message.cached_input_tokens is 'the part of input_tokens that the provider read from its cache';


-- task: the same, and answers that reached the token limit. The old rows need no check, because every old reason is still one.

alter table task
  add column cached_input_tokens bigint not null default 0,
  drop constraint if exists task_stop_reason_check;
alter table task add constraint task_stop_reason_check
  check (stop_reason in ('end_turn', 'max_turns', 'max_tokens', 'timeout', 'cancelled', 'budget', 'error')) not valid;
comment on column task.cached_input_tokens is 'the part of input_tokens that providers read from their caches';


-- view

create or replace view session_view as
select session.id, tenant, parent_id, root_id, depth, agent, kind, title, state, model, workspace,
       input_tokens, output_tokens, turns, tool_calls, origin, metadata, session.created_at, updated_at,
       callback.url as callback_url, callback.disabled_at as callback_disabled_at,
       (select count(*) from inbox
        where inbox.session_id = session.id and inbox.kind = 'notice' and consumed_at is null) as waiting_notices,
       cached_input_tokens
from session left join callback on callback.session_id = session.id;

create or replace view task_view as
select task.id, task.tenant, coalesce(task.session_id, in_line_for) as session_id, parent_session_id, root_session_id,
       subagent_type, description, label, command, background, task.state, priority, cleanup, timeout_ms, max_turns,
       model, task.attempts, takeovers, nullif(result, '') as result, error_code, error_message, stop_reason, partial,
       input_tokens, output_tokens, turns, tool_calls, task.created_at, started_at, ended_at,
       outbox.state as delivery_state, outbox.attempts as delivery_attempts, outbox.delivered_at, outbox.consumed_at,
       outbox.last_error, cached_input_tokens
from task left join outbox on outbox.task_id = task.id;
