package dev.errand.session;

import dev.errand.conversation.PauseId;
import java.time.Instant;

/**
 * The pause that applies to a session.
 *
 * @param reason in the words of the operator
 * @param since when the session waits; another pause may have applied to it before this pause
 */
public record SessionPause(PauseId id, String reason, Instant since) {}
