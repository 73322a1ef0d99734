-- outbox: events for hooks are rows of the outbox, too. What leaves the service is sent in streams

drop view delivery_view;
drop view oldest_view;
drop index outbox_in_turn, outbox_unposted;
alter table outbox drop constraint outbox_is_consistent;
alter table outbox rename column lane to receiver;
alter table outbox rename column alone to out_of_turn;
alter table outbox add column stream text;
comment on column outbox.target is 'session; webhook: the callback of the session; task_webhook: that of callback_task_id; hook';
comment on column outbox.receiver is 'the host of the callback, or the name of the hook, by which what is sent at the same time is limited; null for a session';
comment on column outbox.stream is 'rows of one stream are sent one after the other: the id of the callback, or the hook and its task; null for a session';
comment on column outbox.sequence is 'the number of the post among those of its callback, assigned when it is claimed first; 1 for a hook';
comment on column outbox.out_of_turn is 'whether later rows of the stream do not wait for it';
comment on column outbox.event is 'what is sent; null for the end of a task, which is rendered when it is sent';

create or replace function is_consistent(one outbox) returns boolean language plpgsql immutable as $$
begin
  return (one.kind in ('notice', 'tool_result', 'message', 'event', 'progress', 'hook')
    and one.target in ('session', 'webhook', 'task_webhook', 'hook')
    and one.state in ('pending', 'delivered', 'consumed', 'suppressed', 'dead')
    and (one.kind in ('notice', 'tool_result')) = (one.task_id is not null)
    and (one.kind = 'message') = (one.message_id is not null)
    and (one.kind <> 'message' or one.target = 'webhook')
    and (one.kind in ('event', 'progress')) = (one.callback_task_id is not null)
    and (one.target = 'task_webhook') = (one.callback_task_id is not null)
    and (one.target = 'hook') = (one.kind = 'hook')
    and (one.target = 'session') = (one.receiver is null)
    and (one.target = 'session') = (one.stream is null)
    and (one.target <> 'session' or one.event is null)
    and (one.kind not in ('message', 'progress', 'hook') or one.event is not null)
    and (one.claim is null) = (one.claimed_until is null)
    and (one.state <> 'delivered' or one.delivered_at is not null)
    and (one.state <> 'dead' or one.dead_at is not null)
    and (one.sequence is null or one.target <> 'session')
    and (not one.out_of_turn or one.sequence is not null));
end $$;

update outbox set stream = coalesce(callback_task_id, session_id)::text where target <> 'session';
insert into outbox (id, tenant, kind, target, session_id, receiver, stream, event, attempts, available_at, created_at, sequence)
select id, coalesce((select tenant from session where session.id = of.session_id), 'default'), 'hook', 'hook', of.session_id,
       hook, hook || ' ' || subject, body || jsonb_build_object('event', event), attempts, available_at, created_at,
       case when attempts > 0 then 1 end
from hook_event cross join lateral (select substr(body ->> 'session_id', 5)::uuid as session_id) of
order by position;
drop table hook_event;
alter table outbox add constraint outbox_is_consistent check (is_consistent(outbox)) not valid;

create unique index outbox_in_turn on outbox (stream) where state = 'pending' and sequence is not null and not out_of_turn;
create index outbox_unsent on outbox (stream, created_at, id) where state = 'pending' and target <> 'session' and sequence is null;
create index outbox_of_hooks on outbox (created_at) where target = 'hook';
comment on index outbox_in_turn is 'the row of a stream for which the later ones wait';
comment on index outbox_unsent is 'the next row of each stream';
comment on index outbox_of_hooks is 'events for hooks that are too old';


-- view

create view delivery_view as
select id, tenant, coalesce(task_id, callback_task_id) as task_id, message_id, session_id, kind, target, state, attempts,
       case state when 'pending' then available_at end as next_attempt_at,
       created_at, delivered_at, consumed_at, dead_at, last_error, redacted
from outbox where target <> 'hook';

create view oldest_view as
select 1 as id,
       (select extract(epoch from clock_timestamp() - min(created_at))::float8
        from task where state = 'pending') as pending_seconds,
       (select extract(epoch from clock_timestamp() - min(queued_at))::float8
        from session where state = 'queued') as queued_seconds,
       (select extract(epoch from clock_timestamp() - min(available_at))::float8
        from outbox
        where state = 'pending' and target <> 'hook' and available_at < clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
          and (target <> 'session'
               or not exists (select 1 from session where session.id = session_id and kind = 'external'))
          and (target = 'session' or sequence is not null
               or not exists (select 1 from outbox earlier
                              where earlier.stream = outbox.stream and earlier.state = 'pending'
                                and earlier.sequence is not null and not earlier.out_of_turn))
       ) as undelivered_seconds;
comment on view oldest_view is 'How long the oldest pending task, queued session and due delivery have waited; null when there is none.';
comment on column oldest_view.undelivered_seconds is 'without deliveries that wait for their next attempt or are being posted, and without external parents that have no callback';
