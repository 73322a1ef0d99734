-- task, session, outbox: one check each, with the conditions that the rows had before

-- PostgreSQL reads the definition of each check anew in every statement that writes to the table, which took most of the time of an
-- update by key. A function is read once per connection. The rows need no check, because the conditions are the same.

do $$
declare
  old record;
begin
  for old in select conrelid::regclass as changed, conname from pg_constraint
             where conrelid in ('task'::regclass, 'session'::regclass, 'outbox'::regclass) and contype = 'c' loop
    execute format('alter table %s drop constraint %I', old.changed, old.conname);
  end loop;
end $$;

create function is_consistent(one task) returns boolean language plpgsql immutable as $$
begin
  return (one.kind in ('task', 'spawn')
    and one.cleanup in ('keep', 'delete')
    and one.isolation in ('shared', 'worktree')
    and (one.thoroughness is null or one.thoroughness in ('quick', 'medium', 'thorough'))
    and one.max_turns > 0
    and one.timeout_ms > 0
    and one.generation >= 0
    and jsonb_typeof(one.notes) = 'array'
    and (one.session_id is null) = (one.in_line_for is not null)
    and (one.in_line_for is null or (one.state = 'pending' and one.line_place is not null))
    and case one.state
          when 'pending' then one.ended_at is null
          when 'running' then one.ended_at is null and one.started_at is not null and one.deadline_at is not null
                              and one.admitted_at is not null and one.not_before is null
          when 'completed' then one.ended_at is not null
          when 'failed' then one.ended_at is not null and one.error_code is not null
          when 'cancelled' then one.ended_at is not null
          when 'timed_out' then one.ended_at is not null
          else false
        end
    and (one.ended_at is null) = (one.stop_reason is null)
    and (one.stop_reason is null
         or one.stop_reason in ('end_turn', 'max_turns', 'max_tokens', 'timeout', 'cancelled', 'budget', 'error')));
end $$;

create function is_consistent(one session) returns boolean language plpgsql immutable as $$
begin
  return (one.kind in ('hosted', 'external')
    and one.state in ('idle', 'queued', 'running', 'waiting', 'closed')
    and (one.state = 'running') = (one.node_id is not null)
    and (one.kind = 'hosted' or one.state in ('idle', 'closed'))
    and one.depth >= 0
    and (one.parent_id is null) = (one.depth = 0)
    and (one.max_turns is null or one.max_turns > 0)
    and one.generation >= 0
    and one.tries >= 0
    and one.stubs_to >= 0
    and one.stubs_at >= one.stubs_to
    and (one.error_code is null) = (one.error_message is null)
    and (one.error_code is null) = (one.error_at is null));
end $$;

create function is_consistent(one outbox) returns boolean language plpgsql immutable as $$
begin
  return (one.kind in ('notice', 'tool_result', 'message', 'event', 'progress')
    and one.target in ('session', 'webhook', 'task_webhook')
    and one.state in ('pending', 'delivered', 'consumed', 'suppressed', 'dead')
    and (one.kind in ('notice', 'tool_result')) = (one.task_id is not null)
    and (one.kind in ('notice', 'tool_result')) = (one.payload is not null)
    and (one.kind = 'message') = (one.message_id is not null)
    and (one.kind <> 'message' or one.target = 'webhook')
    and (one.kind in ('event', 'progress')) = (one.callback_task_id is not null)
    and (one.target = 'task_webhook') = (one.callback_task_id is not null)
    and (one.target = 'session') = (one.lane is null)
    and (one.target = 'session') = (one.event is null)
    and (one.claim is null) = (one.claimed_until is null)
    and (one.state <> 'delivered' or one.delivered_at is not null)
    and (one.state <> 'dead' or one.dead_at is not null)
    and (one.sequence is null or one.target <> 'session')
    and (not one.alone or one.sequence is not null));
end $$;

alter table task add constraint task_is_consistent check (is_consistent(task)) not valid;
alter table session add constraint session_is_consistent check (is_consistent(session)) not valid;
alter table outbox add constraint outbox_is_consistent check (is_consistent(outbox)) not valid;
