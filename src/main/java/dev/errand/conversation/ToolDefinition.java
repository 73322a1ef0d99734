package dev.errand.conversation;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The description of a tool for models.
 *
 * @param parameters JSON Schema of the arguments: an object with {@code properties}, {@code
 *     required} and {@code additionalProperties: false}
 */
public record ToolDefinition(String name, String description, ObjectNode parameters) {}
