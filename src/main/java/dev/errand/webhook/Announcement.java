package dev.errand.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * What is to be told, as it stands in the outbox.
 *
 * @param subject the task's id
 * @param time when the task ended
 */
public record Announcement(String type, String subject, Instant time, JsonNode data) {}
