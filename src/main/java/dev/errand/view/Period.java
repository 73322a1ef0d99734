package dev.errand.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The time of creation of the rows of a list, without its bounds; null means no bound. */
public record Period(@Nullable Instant after, @Nullable Instant before) {}
