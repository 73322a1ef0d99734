-- hook: events of tasks and sessions that hooks have not accepted yet. A row is written in the transaction in which the event
-- happens, and deleted when its hook has accepted it.

create table hook_event (
  id            uuid primary key,
  position      bigint generated always as identity,
  hook          text not null,
  event         text not null,
  subject       uuid not null,
  body          jsonb not null,
  attempts      int not null default 0 check (attempts >= 0),
  available_at  timestamptz not null default clock_timestamp(),
  claim         uuid,
  claimed_until timestamptz,
  created_at    timestamptz not null default clock_timestamp(),
  check ((claim is null) = (claimed_until is null))
);
comment on table hook_event is 'An event for one hook. Of one subject a hook gets one event at a time, in the order of position.';
comment on column hook_event.subject is 'the task, or the session of session.failed; the row outlives both';
comment on column hook_event.body is 'the payload without id, event and time';
create index hook_event_in_order on hook_event (hook, subject, position);
create index hook_event_due on hook_event (hook, available_at, position);

-- session: a call that a hook denied never starts

alter table tool_call drop constraint tool_call_state_check;
alter table tool_call add constraint tool_call_state_check
  check (state in ('planned', 'started', 'deferred', 'done', 'unknown', 'denied'));
alter table tool_call drop constraint tool_call_check;
alter table tool_call add constraint tool_call_check
  check ((state in ('done', 'unknown', 'denied')) = (result is not null));
comment on column tool_call.state is 'deferred: the result comes later, from a task; denied: by a hook, before the start';
