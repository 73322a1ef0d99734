package dev.errand.session;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry that was not read yet.
 *
 * @param outbox the outbox row that it comes from; null for a user's message
 * @param generation of the task that a notice reports
 * @param trace the trace that it belongs to; null when it was not traced
 */
record UnreadEntry(
    UUID id, @Nullable UUID outbox, int generation, @Nullable String trace, InboxEntry entry) {}
