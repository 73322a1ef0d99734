package dev.errand.delegate.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The options of one command: {@code --name value} or {@code --name=value}. */
final class CommandOptions {

  private static final String BACKGROUND = "background";
  private static final String PERMISSIONS = "permissions";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final List<String> known =
      new ArrayList<>(List.of("prompt", "description", "model", "max-turns", BACKGROUND));
  private final Map<String, String> values = new LinkedHashMap<>();

  CommandOptions(TaskCommand command) {
    known.addAll(command.options());
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
    var name = word.substring(2, equals < 0 ? word.length() : equals);
    if (!known.contains(name)) {
      return Optional.of("there is no option --" + name);
    }
    if (name.equals(BACKGROUND) && equals >= 0) {
      return Optional.of("--background takes no value");
    }
    if (!name.equals(BACKGROUND) && equals < 0 && !rest.hasNext()) {
      return Optional.of("--" + name + " has no value");
    }
    var value =
        name.equals(BACKGROUND) ? "true" : equals < 0 ? rest.next() : word.substring(equals + 1);
    return values.putIfAbsent(name, value) == null
        ? Optional.empty()
        : Optional.of("--" + name + " is given twice");
  }

  @Nullable String value(String name) {
    return values.get(name);
  }

  boolean background() {
    return values.containsKey(BACKGROUND);
  }

  /** A text that is not JSON is kept, and the check of the fields reports it. */
  Optional<JsonNode> permissions() {
    return Optional.ofNullable(value(PERMISSIONS))
        .map(text -> {
          try {
            return JSON.readTree(text);
          } catch (JsonProcessingException noJson) {
            return TextNode.valueOf(text);
          }
        });
  }

  /** A text that is not a number is kept, and the check of the fields reports it. */
  Optional<JsonNode> maxTurns() {
    return Optional.ofNullable(value("max-turns"))
        .map(text ->
            text.matches("\\d{1,9}")
                ? IntNode.valueOf(Integer.parseInt(text))
                : TextNode.valueOf(text));
  }
}
