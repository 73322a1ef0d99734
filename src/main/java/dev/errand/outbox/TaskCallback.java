package dev.errand.outbox;

import java.util.Set;

/**
 * The callback of one task.
 *
 * @param events what is posted to it
 */
public record TaskCallback(Callback callback, Set<CallbackEvent> events) {}
