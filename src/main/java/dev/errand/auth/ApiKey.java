package dev.errand.auth;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key without its secret.
 *
 * @param expiresAt null: it does not expire
 * @param createdBy the subject that made it; null for the key of the environment
 * @param lastUsedAt up to a minute old; null: never
 */
public record ApiKey(
    String id,
    String name,
    Role role,
    String tenant,
    @Nullable Instant expiresAt,
    Instant createdAt,
    @Nullable String createdBy,
    @Nullable Instant lastUsedAt) {}
