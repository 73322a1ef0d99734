package dev.errand.delegate.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.task.TaskSchema;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The options of one command: {@code --name value} or {@code --name=value}. Most are fields of the
 * tool {@code task} with {@code -} in place of {@code _}, and their values have the types of its
 * schema. A value that is not of the type is kept as a text, and the check of the fields reports
 * it.
 */
final class CommandOptions {

  private static final List<String> OF_ALL =
      List.of("prompt", "description", "model", "max-turns", "background");
  private static final JsonNode TYPES = TaskSchema.schema().get("properties");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final TaskCommand command;
  private final ObjectNode fields = JsonNodeFactory.instance.objectNode();

  CommandOptions(TaskCommand command) {
    this.command = command;
  }

  /** Returns the name of the option for a field. */
  static String name(String field) {
    return "--" + field.replace('_', '-');
  }

  /**
   * Reads the options.
   *
   * @return the problem of the options; empty when there is none
   */
  Optional<String> take(List<String> words) {
    var rest = words.iterator();
    while (rest.hasNext()) {
      var problem = take(rest.next(), rest);
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private Optional<String> take(String word, Iterator<String> rest) {
    if (!word.startsWith("--")) {
      return Optional.of("'" + word + "' belongs to no option; put quotes around the whole text");
    }
    var equals = word.indexOf('=');
    var option = word.substring(2, equals < 0 ? word.length() : equals);
    if (!OF_ALL.contains(option) && !command.options().contains(option)) {
      return Optional.of("there is no option --" + option);
    }
    var field = option.replace('-', '_');
    var type = TYPES.path(field).path("type").asText();
    if (type.equals("boolean") && equals >= 0) {
      return Optional.of("--" + option + " takes no value");
    }
    if (!type.equals("boolean") && equals < 0 && !rest.hasNext()) {
      return Optional.of("--" + option + " has no value");
    }
    var value =
        type.equals("boolean")
            ? BooleanNode.TRUE
            : value(type, equals < 0 ? rest.next() : word.substring(equals + 1));
    return fields.putIfAbsent(field, value) == null
        ? Optional.empty()
        : Optional.of("--" + option + " is given twice");
  }

  private static JsonNode value(String type, String text) {
    return switch (type) {
      case "integer" ->
          text.matches("\\d{1,9}")
              ? IntNode.valueOf(Integer.parseInt(text))
              : TextNode.valueOf(text);
      case "array" -> json(text);
      default -> TextNode.valueOf(text);
    };
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException noJson) {
      return TextNode.valueOf(text);
    }
  }

  /** Takes an option that is no field of the task; null when it was not given. */
  @Nullable String remove(String option) {
    var value = fields.remove(option);
    return value == null ? null : value.asText();
  }

  /** Returns the fields of the task that the options give. */
  ObjectNode fields() {
    return fields;
  }
}
