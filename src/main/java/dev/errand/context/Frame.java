package dev.errand.context;

import dev.errand.conversation.JsonText;
import dev.errand.conversation.ToolDefinition;
import java.util.List;

/**
 * The parts of a request in addition to the conversation.
 *
 * @param chars of all that
 */
public record Frame(String system, List<ToolDefinition> tools, long chars) {

  /** Returns the frame of these. */
  public static Frame of(String system, List<ToolDefinition> tools) {
    var chars = system.length() + tools.stream().mapToLong(Frame::chars).sum();
    return new Frame(system, tools, chars);
  }

  private static long chars(ToolDefinition tool) {
    return (long) tool.name().length()
        + tool.description().length()
        + JsonText.of(tool.parameters()).length();
  }
}
