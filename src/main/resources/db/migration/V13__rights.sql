-- session: each layer of grants has an origin

alter table session add column grants_from jsonb;
comment on column session.grants_from is 'where each layer of grants comes from: parent, agent, request; null when an older version created the session, which had no such column';


-- task: what its child may do, as it is shown

alter table task add column rights jsonb;
comment on column task.rights is 'the permissions of the child session, as layers, and the tools that it had when the task was accepted; null when an older version accepted the task';


-- views: a row of these is read for one session or one task at a time, because permissions may be long

create view session_rights_view as
select session.id, session.agent, session.kind, session.grants, session.grants_from,
       coalesce(jsonb_array_length(parent.grants), 0) as inherited
from session left join session parent on parent.id = session.parent_id;
comment on column session_rights_view.inherited is 'how many layers of grants the parent has; the first ones of a child are those of its parent';

create view task_rights_view as
select id, coalesce(session_id, in_line_for) as session_id, rights from task;
