-- session: indexes that only the searches for live sessions can use. With the old one, plans that were made while few sessions were
-- live also used it to find one session by its id, which reads all queued or running sessions.

drop index session_live;
create index session_queued on session (queued_at) where state = 'queued' and queued_at is not null;
create index session_running on session (node_id) where state = 'running' and node_id is not null;
