package dev.errand.tool.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads lines and keeps only the first characters of each. */
final class BoundedLines {

  private final BufferedReader reader;
  private final int maxChars;

  BoundedLines(InputStream stream, int maxChars) {
    this.reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    this.maxChars = maxChars;
  }

  /**
   * @param cut whether the line was longer
   */
  record BoundedLine(String text, boolean cut) {}

  /** Returns the next line; empty at the end of the stream. */
  Optional<BoundedLine> next() throws IOException {
    var text = new StringBuilder();
    var cut = false;
    for (int next = reader.read(); next != '\n'; next = reader.read()) {
      if (next == -1) {
        return text.isEmpty()
            ? Optional.empty()
            : Optional.of(new BoundedLine(text.toString(), cut));
      }
      if (text.length() < maxChars) {
        text.append((char) next);
      } else {
        cut = true;
      }
    }
    return Optional.of(new BoundedLine(text.toString(), cut));
  }
}
