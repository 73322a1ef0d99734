package dev.errand.session;

import dev.errand.conversation.PauseId;
import java.time.Instant;

/**
 * Why a session is held by an operator.
 *
 * @param reason in the words of the operator
 * @param since when the session is held; another pause may have held it before this one
 */
public record SessionPause(PauseId id, String reason, Instant since) {}
