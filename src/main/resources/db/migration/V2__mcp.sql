-- For clients of MCP: what they are told of a task that runs, and when what they leave behind is deleted.

alter table task add column progress text;
comment on column task.progress is 'How far it got, such as "turn 3 · grep · 41 s"; written together with progress_at. Null before its first turn, and when it ran before this column existed.';
comment on column task.progress_at is 'When progress was last written, and reported for a background task; at most once a second.';

alter table session add column expires_at timestamptz;
comment on column session.expires_at is 'When the tree of a temporary root may be deleted: infinity until its tasks have ended, then a day after the last end. Null for all other sessions.';

-- For retention.
create index session_expiry on session (expires_at) where expires_at is not null;
