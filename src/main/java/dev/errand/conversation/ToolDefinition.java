package dev.errand.conversation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The description of a tool for models.
 *
 * @param title the name for people; null when the tool has none
 * @param parameters JSON Schema of the arguments: an object with {@code properties}, {@code
 *     required} and {@code additionalProperties: false}
 */
public record ToolDefinition(
    String name, @Nullable String title, String description, ObjectNode parameters) {

  /** Without a title. */
  public ToolDefinition(String name, String description, ObjectNode parameters) {
    this(name, null, description, parameters);
  }
}
