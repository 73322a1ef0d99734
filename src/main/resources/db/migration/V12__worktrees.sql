-- task: where the child works

alter table task add column isolation text not null default 'shared' check (isolation in ('shared', 'worktree'));
comment on column task.isolation is 'worktree: the child works in a copy of its parent''s workspace';


-- worktree: the copies that children work in

create table worktree (
  session_id uuid primary key,
  task_id    uuid not null unique,
  folder     text not null,
  notes      jsonb not null default '[]',
  created_at timestamptz not null default now()
);
comment on table worktree is 'the folder of a child that works in a copy; the row outlives its session until the folder is deleted';
comment on column worktree.session_id is 'the child; without a foreign key, because the row outlives it';
comment on column worktree.task_id is 'the task that the child was created for; it names the folder';
comment on column worktree.folder is 'absolute; contains tree, the workspace, and git, where the service keeps the base';
comment on column worktree.notes is 'what the copy does not contain, as sentences';


-- worktree_change: what a task changed in the copy, relative to its base

create table worktree_change (
  task_id     uuid primary key references task on delete cascade,
  session_id  uuid not null,
  patch       bytea,
  files       jsonb not null default '[]',
  insertions  int not null default 0,
  deletions   int not null default 0,
  truncated   boolean not null default false,
  unavailable boolean not null default false,
  notes       jsonb not null default '[]',
  created_at  timestamptz not null default now()
);
comment on table worktree_change is 'written in the transaction that ends the task';
create index worktree_change_in_folder on worktree_change (session_id) where truncated or unavailable;
comment on column worktree_change.session_id is 'the child; without a foreign key, because it goes with the task';
comment on column worktree_change.patch is 'as git writes it, with binary files and whole hashes; null when it is too large or the folder could not be read';
comment on column worktree_change.files is '[{path, status}], status is added, modified or deleted';
comment on column worktree_change.truncated is 'the patch is too large to be stored, and the folder is kept until the session is deleted';
comment on column worktree_change.unavailable is 'the node that ended the task could not read the folder';
comment on column worktree_change.notes is 'what the copy and the patch do not contain, as sentences';


-- session: what sessions do with patches

create table applied_patch (
  session_id uuid not null references session on delete cascade,
  task_id    uuid not null references task on delete cascade,
  files      jsonb not null,
  planned_at timestamptz not null default now(),
  applied_at timestamptz,
  primary key (session_id, task_id)
);
comment on table applied_patch is 'what a session is about to do with the patch of a task, written before it does so: a repeated call finds each file as it was before, or after';
comment on column applied_patch.files is '[{path, before, after}], before and after identify content and mode; - for no file';
comment on column applied_patch.applied_at is 'null until all files were changed';


-- view: two columns more at the end, whatever columns the view has by now. The last "from" is that of the view itself.

do $$
begin
  execute 'create or replace view task_view as '
    || regexp_replace(pg_get_viewdef('task_view'::regclass), '(.*)\mfrom\M', $sql$\1, isolation,
      (select jsonb_build_object('files', files, 'insertions', insertions, 'deletions', deletions,
         'truncated', truncated, 'unavailable', unavailable, 'notes', worktree_change.notes)
       from worktree_change where worktree_change.task_id = task.id) as changes from$sql$, 'i');
end $$;
