package dev.errand.view;

import dev.errand.conversation.SessionId;
import org.jspecify.annotations.Nullable;

/** Which acts a list shows; null means any. */
public record AuditFilter(
    @Nullable String subject, @Nullable String action, @Nullable SessionId session, Period at) {}
