package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.AuditId;
import dev.errand.conversation.SessionId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One act of a client.
 *
 * @param subject {@code key:<id>}, {@code token:<id>}, {@code oidc:<subject>} or {@code anonymous}
 * @param sessionId the session that was used
 * @param target the id of what was used in addition: a task, delivery, key or token
 */
public record AuditView(
    AuditId id,
    Instant at,
    String tenant,
    String subject,
    String action,
    @Nullable SessionId sessionId,
    @Nullable String target,
    @Nullable JsonNode details) {}
