-- Tasks in line for a child session that works for another one (D8). Such a task is pending and has no session yet: what
-- looks for the task of a session does not find it, what looks for the tasks of a parent does.
create sequence task_line;
alter table task
  alter column session_id drop not null,
  add column in_line_for uuid references session,
  add column line_place bigint,
  add check ((session_id is null) = (in_line_for is not null)),
  add check (in_line_for is null or (state = 'pending' and line_place is not null));
comment on column task.in_line_for is 'the session that it gets when its turn has come or when it ends; null once it has it';
comment on column task.line_place is 'the lower is the first in line';
create index task_in_line on task (in_line_for, line_place) where in_line_for is not null;

-- What a long tool call says while it runs. Of each call the last of these events is kept.
alter table event
  drop constraint event_type_check,
  add constraint event_type_check
    check (type in ('session.message', 'session.state',
                    'subagent.created', 'subagent.completed', 'subagent.failed',
                    'background_task.started', 'background_task.progress', 'background_task.completed',
                    'background_task.failed', 'background_task.cancelled',
                    'tool.started', 'tool.progress', 'tool.ended', 'delivery.dead'));
create index event_tool_progress on event (session_id) where type = 'tool.progress';
