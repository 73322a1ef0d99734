-- session, task: generations. A turn that a user begins has generation 0; a turn that notices begin has one more than the tasks that they report.

alter table session add column generation int not null default 0 check (generation >= 0);
comment on column session.generation is 'of the current or next turn: 0 after a user''s message, a command or a resume; after notices 1 + the highest generation of the tasks that they report. A child starts with that of its task; that of an external session is 0';
comment on column session.wakes is 'not used any more; kept for nodes of the previous version';

alter table task add column generation int not null default 0 check (generation >= 0);
comment on column task.generation is 'that of the turn that delegated the task; 0 when a client did. Its notice wakes a root at rest only while this is below errand.wakes.chain';

alter table inbox add column generation int not null default 0 check (generation >= 0);
comment on column inbox.generation is 'that of the task that a notice reports; 0 for other entries';


-- tree: the limit of delegations counts since the last act of the root's user; a limit for the whole life is separate.

alter table tree drop constraint tree_check;
alter table tree
  add constraint tree_delegations_check check (delegations >= 0),
  add column turn_delegations int not null default 0 check (turn_delegations >= 0),
  add column max_delegations_total int check (max_delegations_total >= 0);
comment on column tree.max_delegations is 'tasks accepted since the last message, command or call of a client to the root';
comment on column tree.turn_delegations is 'tasks accepted since then; max_delegations applies to these';
comment on column tree.max_delegations_total is 'tasks accepted in the whole life of the tree; null: no limit';


-- outbox

comment on column outbox.state is 'consumed: the parent knows the result without the notice, because it was read, or because the parent cancelled the task itself; suppressed: dismissed, or nobody waits for it; dead: all attempts failed';


-- view

create or replace view session_view as
select session.id, tenant, parent_id, root_id, depth, agent, kind, title, state, model, workspace,
       input_tokens, output_tokens, turns, tool_calls, origin, metadata, session.created_at, updated_at,
       callback.url as callback_url, callback.disabled_at as callback_disabled_at,
       (select count(*) from inbox
        where inbox.session_id = session.id and inbox.kind = 'notice' and consumed_at is null) as waiting_notices
from session left join callback on callback.session_id = session.id;
comment on column session_view.waiting_notices is 'notices in the inbox that no turn has read yet';

create or replace view tree_view as
select root_id, max_depth, max_delegations, max_background_tasks, max_tokens, max_delegations_total from tree;
