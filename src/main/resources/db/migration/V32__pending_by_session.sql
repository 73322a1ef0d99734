-- outbox: whether a session has undelivered results is asked at the end of each task

-- Without it, PostgreSQL reads the index of all that is due, because it expects next to nothing in it.
create index outbox_pending_by_session on outbox (session_id) where state = 'pending';
