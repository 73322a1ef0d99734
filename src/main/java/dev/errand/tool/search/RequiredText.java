package dev.errand.tool.search;

import java.util.List;

/**
 * Runs of characters of which a line must have at least one to match a regular expression. Most
 * files and lines have none, and looking for them is many times faster than matching.
 *
 * @param runs empty when anything may match
 */
record RequiredText(List<RequiredRun> runs) {

  RequiredText {
    runs = List.copyOf(runs);
  }

  static RequiredText of(String regex, boolean ignoreCase) {
    return new RequiredText(new RequiredPieces(regex, ignoreCase).found());
  }

  boolean mayBeIn(String line) {
    return runs.isEmpty() || runs.stream().anyMatch(run -> run.isIn(line));
  }

  /** Whether it may be in a text whose ASCII characters are one byte each. */
  boolean mayBeIn(byte[] text) {
    return runs.isEmpty() || runs.stream().anyMatch(run -> run.isIn(text));
  }
}
