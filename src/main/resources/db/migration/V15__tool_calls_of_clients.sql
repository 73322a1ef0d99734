-- tool_call: also the calls that the client of an external session makes. Nobody asks for them in a message: their message_seq is 0.

alter table tool_call
  add column arguments      jsonb,
  add column request_sha256 text,
  add column node_id        uuid,
  add column takeovers      int not null default 0,
  add constraint tool_call_of_client check ((message_seq = 0) = (request_sha256 is not null));
comment on table tool_call is 'A tool call that the assistant asked for, or that the client of an external session makes. The tool message that follows the assistant''s message answers the former.';
comment on column tool_call.message_seq is 'seq of the assistant''s message that contains the call; 0 for a call of a client';
comment on column tool_call.idx is 'position of the call among the calls of that message, from 0';
comment on column tool_call.call_id is 'the id that the model gave to the call; among the calls of a client it is unique in the session';
comment on column tool_call.epoch is 'the session''s epoch when the row was written; the calls of a client raise it, so that each of their attempts has its own';
comment on column tool_call.arguments is 'only for a call of a client: the other arguments are in the message';
comment on column tool_call.request_sha256 is 'digest of name and arguments, by which a repeated request is recognised';
comment on column tool_call.node_id is 'the node that executes a call of a client; null when the call has ended, or waits for a task';
comment on column tool_call.takeovers is 'nodes that a call of a client has lost';
-- Neither index contains a column that changes while a hosted session works.
create unique index tool_call_by_client on tool_call (session_id, call_id) where message_seq = 0;
create index tool_call_on_node on tool_call (session_id, node_id) where node_id is not null;
comment on column session.epoch is 'fencing token: increases with every claim and whenever a run loses the session; in an external session with every tool call';
