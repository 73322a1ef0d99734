-- session: when its run was cancelled

alter table session add column stopped_at timestamptz;
comment on column session.stopped_at is 'when it was last cancelled; the ends of tasks that are older do not wake it. Null when it never was';
