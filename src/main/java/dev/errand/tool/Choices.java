package dev.errand.tool;

import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolDefinition;
import java.util.ArrayList;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * The values that a parameter of a tool may name, for example the agents. Sessions whose system
 * prompt we write find all of it there, and at the parameter as much as fits; others find all of it
 * at the parameter.
 *
 * @param parameter the name of the parameter
 * @param introduction for example {@code The agents that you may use}
 * @param abouts what is to be known of each, by its name
 */
public record Choices(String parameter, String introduction, SequencedMap<String, String> abouts) {

  private static final String MORE = "\nMore, described in the system prompt: ";
  private static final int ROOM_FOR_MORE = 200;

  /** Returns the tool with all choices at its parameter. */
  ToolDefinition all(ToolDefinition tool) {
    return described(tool, head(tool) + lines());
  }

  /**
   * Returns the tool with those choices at its parameter whose whole text fits, and the names of
   * the others as far as they fit.
   */
  ToolDefinition fitting(ToolDefinition tool) {
    var whole = head(tool) + lines();
    if (whole.length() <= SchemaWords.MAX_CHARS) {
      return described(tool, whole);
    }
    var text = new StringBuilder(head(tool));
    var others = new ArrayList<String>();
    abouts.forEach((name, about) -> {
      var line = line(name, about);
      if (text.length() + line.length() <= SchemaWords.MAX_CHARS - ROOM_FOR_MORE) {
        text.append(line);
      } else {
        others.add(name);
      }
    });
    var more = MORE + String.join(", ", others);
    text.append(TextCut.words(more, SchemaWords.MAX_CHARS - text.length()));
    return described(tool, text.toString());
  }

  /** Returns the text for the system prompt. */
  String guide(String tool) {
    return "%s, as %s of the tool %s:%s".formatted(introduction, parameter, tool, lines());
  }

  private String head(ToolDefinition tool) {
    var own = tool.parameters().at("/properties/" + parameter + "/description").asText();
    return own + "\n" + introduction + ":";
  }

  private String lines() {
    return abouts.entrySet().stream()
        .map(choice -> line(choice.getKey(), choice.getValue()))
        .collect(Collectors.joining());
  }

  private static String line(String name, String about) {
    return "\n- " + name + ": " + about;
  }

  private ToolDefinition described(ToolDefinition tool, String text) {
    var parameters = tool.parameters().deepCopy();
    parameters.withObject("/properties/" + parameter).put("description", text);
    return new ToolDefinition(tool.name(), tool.title(), tool.description(), parameters);
  }
}
