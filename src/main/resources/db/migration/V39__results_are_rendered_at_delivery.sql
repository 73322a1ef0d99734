-- outbox: the end of a task is rendered from the task when it is delivered

do $$
begin
  execute replace(replace(pg_get_functiondef('is_consistent(outbox)'::regprocedure),
    'and (one.kind in (''notice'', ''tool_result'')) = (one.payload is not null)', ''),
    'and (one.target = ''session'') = (one.event is null)',
    'and (one.target <> ''session'' or one.event is null)
    and (one.kind not in (''message'', ''progress'') or one.event is not null)');
end $$;
alter table outbox drop column payload;
comment on column outbox.event is 'the event that is posted; null for the end of a task, which is rendered when it is posted';
comment on column outbox.redacted is 'event was blanked after the delivery, because the task has cleanup delete';


-- message: an external session has no inbox, so its messages say which results it got

create unique index message_by_delivery on message (delivery_id) where delivery_id is not null;
comment on index message_by_delivery is 'the notice that a delivery brought, at most once';
update message set delivery_id = source_outbox_id
from inbox join session on session.id = inbox.session_id
where message.id = inbox.id and message.delivery_id is null and inbox.kind = 'notice' and session.kind = 'external';
delete from inbox using session where session.id = inbox.session_id and session.kind = 'external';


-- outgoing_message: its text is here alone, and the event refers to it

alter table outgoing_message add column text text;
comment on column outgoing_message.text is 'what the session said; null in a row of an older version, whose event contains it';
