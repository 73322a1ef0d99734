-- task: idempotency keys of requests that make no task

alter table idempotency_key
  alter column task_id drop not null,
  add column session_id uuid,
  add column message_id uuid,
  add column output text,
  add check ((task_id is null) = (session_id is not null));
comment on table idempotency_key is 'Requests that were accepted with an Idempotency-Key, and what each of them made.';
comment on column idempotency_key.task_id is 'null when the request made no task';
comment on column idempotency_key.session_id is 'the session that was opened, or that got the message or ran the command; null when the request made a task';
comment on column idempotency_key.message_id is 'the message that was accepted; null for other requests';
comment on column idempotency_key.output is 'what the command printed; null for other requests';
-- For the deletion of sessions, which also removes their keys.
create index idempotency_key_session on idempotency_key (session_id) where session_id is not null;


-- outbox: the webhooks of one session are posted one after the other

alter table outbox
  add column sequence bigint,
  add column alone boolean not null default false,
  add check (sequence is null or target = 'webhook'),
  add check (not alone or sequence is not null);
comment on column outbox.sequence is 'the number of the post among those of its session, given at its first attempt; null before';
comment on column outbox.alone is 'the post does not hold up the later ones of its session any more: it failed too often, or was dead and is retried';
-- At most one numbered post of a session is due or waits for its next attempt; the later ones follow when it is settled.
create unique index outbox_in_turn on outbox (session_id) where state = 'pending' and sequence is not null and not alone;
create index outbox_unposted on outbox (session_id, created_at, id)
  where state = 'pending' and target = 'webhook' and sequence is null;

create index outbox_repeated on outbox (available_at) where state = 'pending' and sequence is not null;

alter table callback add column posts bigint not null default 0;
comment on column callback.posts is 'posts that were attempted; the sequence of the last one';

create or replace view oldest_view as
select 1 as id,
       (select extract(epoch from clock_timestamp() - min(created_at))::float8
        from task where state = 'pending') as pending_seconds,
       (select extract(epoch from clock_timestamp() - min(queued_at))::float8
        from session where state = 'queued') as queued_seconds,
       (select extract(epoch from clock_timestamp() - min(available_at))::float8
        from outbox
        where state = 'pending' and available_at < clock_timestamp()
          and (claimed_until is null or claimed_until < clock_timestamp())
          and (target = 'webhook'
               or not exists (select 1 from session where session.id = session_id and kind = 'external'))
          and (target = 'session' or sequence is not null
               or not exists (select 1 from outbox earlier
                              where earlier.session_id = outbox.session_id and earlier.state = 'pending'
                                and earlier.sequence is not null and not earlier.alone))
       ) as undelivered_seconds;
comment on column oldest_view.undelivered_seconds is 'without deliveries that wait for their next attempt, for an earlier post of their session, or are being posted, and without external parents that have no callback';
