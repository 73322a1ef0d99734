-- How results come back: spawned tasks, the wake budget, held tasks, cleanup.

alter table session add column wakes int not null default 0 check (wakes >= 0);
comment on column session.wakes is 'turns begun by notices alone since a user last spoke; the wake budget counts these';

alter table task add column kind text not null default 'task' check (kind in ('task', 'spawn'));
alter table task add column held_since timestamptz;
alter table task add column cleaned_at timestamptz;
comment on column task.held_since is 'its child has said its last word, but tasks of its own still run; null again with the next run';
comment on column task.cleaned_at is 'cleanup delete: when the transcripts of the child and of all below it were deleted';
create index task_held_by_children on task (session_id) where held_since is not null and state = 'running';
create index task_to_clean on task (ended_at) where cleanup = 'delete' and ended_at is not null and cleaned_at is null;
