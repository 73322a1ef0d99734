package dev.errand.tool.mcp;

import dev.errand.conversation.TextCut;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Keeps the last lines of a server's standard error, which may explain why it exited. */
final class StderrTail {

  static final int MAX_LINE_CHARS = 300;

  private static final int MAX_LINES = 10;

  private final Deque<String> lines = new ArrayDeque<>();

  synchronized void add(String line) {
    if (lines.size() == MAX_LINES) {
      lines.removeFirst();
    }
    lines.addLast(TextCut.withEllipsis(line, MAX_LINE_CHARS));
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
