package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a statement that changes a run's session returns.
 *
 * @param origin where the conversation of a root takes place; null in a child, too
 * @param usage sums over all turns of the session
 */
public record SessionTotals(
    SessionId id,
    SessionId root,
    boolean isRoot,
    @Nullable JsonNode origin,
    Instant createdAt,
    UsageTotals usage) {}
