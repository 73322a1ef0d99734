-- What a session says to its user is posted to its callback, as results are: outbox rows without a task, and with nothing for an inbox.
alter table outbox
  alter column task_id drop not null,
  alter column payload drop not null,
  add column message_id uuid unique,
  drop constraint outbox_kind_check,
  add constraint outbox_kind_check check (kind in ('notice', 'tool_result', 'message')),
  add constraint outbox_task_check check ((kind = 'message') = (task_id is null)),
  add constraint outbox_message_check check ((kind = 'message') = (message_id is not null)),
  add constraint outbox_payload_check check ((kind = 'message') = (payload is null)),
  add constraint outbox_message_target_check check (kind <> 'message' or target = 'webhook');
comment on column outbox.task_id is 'the task whose end it tells; null for a message of the session itself';
comment on column outbox.message_id is 'the message that it posts, of the transcript or of outgoing_message; one row for each';
comment on column outbox.session_id is 'whose it is: the parent of the task, or the session that speaks';
comment on column outbox.payload is 'what the session keeps of it; null for a message, which the session has';
comment on table callback is 'where a root session''s owner wants to be told: of results when its loop runs elsewhere, else of what it says';
