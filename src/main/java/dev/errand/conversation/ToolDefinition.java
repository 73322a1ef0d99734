package dev.errand.conversation;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a model is told of a tool.
 *
 * @param parameters JSON Schema of the arguments: an object with {@code properties}, {@code
 *     required} and {@code additionalProperties: false}
 */
public record ToolDefinition(String name, String description, ObjectNode parameters) {}
