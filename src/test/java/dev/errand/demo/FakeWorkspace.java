package dev.errand.demo;

import dev.errand.conversation.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** A few files in memory that answer {@code grep}, {@code read} and {@code list}. */
final class FakeWorkspace {

  private final Map<String, List<String>> files = new TreeMap<>();

  FakeWorkspace with(String path, String text) {
    files.put(path, text.lines().toList());
    return this;
  }

  String answer(Content.ToolCall call) {
    return switch (call.name()) {
      case "grep" -> grep(call.arguments().path("pattern").asText());
      case "read" ->
          read(
              call.arguments().path("file_path").asText(),
              call.arguments().path("offset").asInt(),
              call.arguments().path("limit").asInt());
      case "list" -> String.join("\n", files.keySet());
      default -> throw new IllegalArgumentException("no such tool: " + call.name());
    };
  }

  private String grep(String pattern) {
    var wanted = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
    var found = new ArrayList<String>();
    files.forEach((path, lines) -> {
      for (var index = 0; index < lines.size(); index++) {
        if (wanted.matcher(lines.get(index)).find()) {
          found.add("%s:%d:%s".formatted(path, index + 1, lines.get(index)));
        }
      }
    });
    return found.isEmpty() ? "No matches." : String.join("\n", found);
  }

  private String read(String path, int first, int count) {
    var lines = files.getOrDefault(path, List.of());
    var shown = new ArrayList<String>();
    for (var number = first; number < Math.min(first + count, lines.size() + 1); number++) {
      shown.add("%5d\t%s".formatted(number, lines.get(number - 1)));
    }
    return String.join("\n", shown);
  }
}
