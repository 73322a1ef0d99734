package dev.errand.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The content of an event. */
public record EventContent(String type, @Nullable String subject, Instant time, JsonNode data) {}
