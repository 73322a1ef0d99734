-- Where in a trace the spans of a run hang: W3C traceparent values, always 55 characters. Null while no traces are kept.
alter table session add column trace_parent varchar(55);
alter table task add column trace_parent varchar(55);
alter table inbox add column trace_parent varchar(55);
comment on column session.trace_parent is 'what woke it last; the run that follows hangs under it, and so does one that takes it over';
comment on column task.trace_parent is 'the request or tool call that delegated it';
comment on column inbox.trace_parent is 'the request, tool call or delivery that put it there';
