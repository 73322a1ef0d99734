-- Rows that are updated several times soon after their insertion. Free space in their pages keeps the new versions there, so that
-- an update that changes no indexed column writes no index entry. Pages that exist keep what they have.

alter table session set (fillfactor = 60);
alter table task set (fillfactor = 60);
alter table tree set (fillfactor = 50);
alter table event_log set (fillfactor = 50);
alter table outbox set (fillfactor = 80);
alter table inbox set (fillfactor = 80);
