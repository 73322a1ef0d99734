package dev.errand.tool.file;

import dev.errand.conversation.TextCut;
import java.io.File;
import java.nio.file.Path;

/**
 * Formats a path for a result: with {@code /}, {@code .} for the workspace itself, cut if it is
 * very long. Control characters and characters that change the direction of text are escaped, so
 * that a file name cannot imitate a line of the result.
 */
public final class ShownPath {

  private static final int MAX_CHARS = 1_000;

  private ShownPath() {}

  public static String of(Path path) {
    return of(withSlashes(path));
  }

  /** Returns the path with {@code /}, without escapes. */
  public static String withSlashes(Path path) {
    return path.toString().replace(File.separatorChar, '/');
  }

  public static String of(String path) {
    if (path.isEmpty()) {
      return ".";
    }
    var shown = new StringBuilder();
    TextCut.withEllipsis(path, MAX_CHARS)
        .codePoints()
        .forEach(character -> append(shown, character));
    return shown.toString();
  }

  private static void append(StringBuilder shown, int character) {
    switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          shown.append("\\u%04x".formatted(character));
      default -> shown.appendCodePoint(character);
    }
  }
}
