package dev.errand.session;

import dev.errand.conversation.SessionId;

/**
 * A run's right to write to a session. Valid as long as the session's epoch is still {@code epoch}
 * (architecture, rules 3 and 4).
 */
public record Lease(SessionId session, long epoch) {}
