-- outbox: the search for due deliveries to sessions reads no posts to webhooks

-- The other index of due rows stays: the gauge of the oldest due delivery (oldest_view) reads rows of all targets in its order.
create index outbox_due_to_sessions on outbox (available_at, id) where state = 'pending' and target = 'session';
