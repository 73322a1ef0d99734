package dev.errand.mcp;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Shortens a list of agents, one a line, to those whose whole line fits. */
final class AgentLines {

  private static final Pattern NEXT = Pattern.compile("\\n(?=- )");
  private static final int ROOM_FOR_MORE = 120;

  private AgentLines() {}

  /**
   * Returns at most {@code max} characters; the agents that do not fit are counted.
   *
   * @param text an introduction, then {@code - name: about} for each agent
   */
  static String within(int max, String text) {
    if (text.length() <= max) {
      return text;
    }
    var parts = List.of(NEXT.split(text));
    var kept = new ArrayList<>(parts.subList(0, 1));
    var length = parts.getFirst().length();
    for (var line : parts.subList(1, parts.size())) {
      if (length + 1 + line.length() <= max - ROOM_FOR_MORE) {
        kept.add(line);
        length += 1 + line.length();
      }
    }
    var more = parts.size() - kept.size();
    return String.join("\n", kept)
        + "\n%d more agents; the error for an unknown agent names all of them.".formatted(more);
  }
}
