package dev.errand.session;

import java.time.Instant;

/**
 * Why a session's last model call or run failed.
 *
 * @param code a word for programs, for example {@code model_unauthorized}
 * @param message a sentence for people
 */
public record SessionError(String code, String message, Instant at) {}
