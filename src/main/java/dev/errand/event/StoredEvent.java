package dev.errand.event;

/**
 * An event in its place.
 *
 * @param number counts within its tree; whoever reads on after it misses nothing
 */
public record StoredEvent(long number, CloudEvent event) {}
