-- session: waiting for a model, and the last error

alter table session
  add column not_before    timestamptz,
  add column away_since    timestamptz,
  add column tries         int not null default 0 check (tries >= 0),
  add column error_code    text,
  add column error_message text,
  add column error_at      timestamptz,
  add check ((error_code is null) = (error_message is null) and (error_code is null) = (error_at is null));
comment on column session.not_before is 'a session that waits for its model has no job until then; null in all other cases';
comment on column session.away_since is 'the first failed model call since the last saved turn';
comment on column session.tries is 'runs that ended with a failed model call since the last saved turn';
comment on column session.error_code is 'why the last model call or run failed; null again with the next saved turn';
create index session_put_off on session (not_before) where state = 'waiting' and not_before is not null;


-- outbox

comment on column outbox.message_id is 'the message that is posted, from message or outgoing_message, or the id of the post of a failed run; null for the result of a task';


-- view

drop view session_view;
create view session_view as
select session.id, tenant, parent_id, root_id, depth, agent, kind, title, state, model, workspace,
       input_tokens, output_tokens, turns, tool_calls, origin, metadata, session.created_at, updated_at,
       callback.url as callback_url, callback.disabled_at as callback_disabled_at,
       (select count(*) from inbox
        where inbox.session_id = session.id and inbox.kind = 'notice' and consumed_at is null) as waiting_notices,
       not_before, error_code, error_message, error_at
from session left join callback on callback.session_id = session.id;
comment on column session_view.waiting_notices is 'notices in the inbox that no turn has read yet';
