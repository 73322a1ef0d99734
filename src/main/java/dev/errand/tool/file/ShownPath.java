package dev.errand.tool.file;

import java.io.File;
import java.nio.file.Path;

/**
 * How a path looks in a result: with {@code /}, {@code .} for the workspace itself, cut when very
 * long. Control characters and those that change the direction of writing are shown as escapes, so
 * that no file name can pretend to be a line of the result.
 */
public final class ShownPath {

  private static final int MAX_CHARS = 1_000;

  private ShownPath() {}

  public static String of(Path path) {
    return of(withSlashes(path));
  }

  /** The path as it is, with {@code /}. */
  public static String withSlashes(Path path) {
    return path.toString().replace(File.separatorChar, '/');
  }

  public static String of(String path) {
    if (path.isEmpty()) {
      return ".";
    }
    var shown = new StringBuilder();
    path.codePoints().limit(MAX_CHARS).forEach(character -> append(shown, character));
    return path.length() <= MAX_CHARS ? shown.toString() : shown + "…";
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
