package dev.errand.event;

/**
 * A recorded event.
 *
 * @param number the position in its tree; a client that resumes after it misses nothing
 */
public record StoredEvent(long number, CloudEvent event) {}
