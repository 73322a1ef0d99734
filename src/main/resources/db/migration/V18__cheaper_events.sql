-- event: an insert checks nothing that its writer already knows. The types come from one enumeration, and a session has its
-- row when an event is recorded. The events of a session are still deleted with its row, by a trigger instead of a key.

alter table event
  drop constraint if exists event_type_check,
  drop constraint if exists event_root_id_fkey,
  drop constraint if exists event_session_id_fkey;

create function delete_events_of_session() returns trigger language plpgsql as $$
begin
  delete from event where session_id = old.id;
  return null;
end
$$;
comment on function delete_events_of_session is 'Deletes the events of a deleted session.';

create trigger session_deleted after delete on session for each row execute function delete_events_of_session();
