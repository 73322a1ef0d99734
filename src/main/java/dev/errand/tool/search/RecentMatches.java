package dev.errand.tool.search;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import dev.errand.tool.OutputCap;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Collects matches and keeps the most recently changed files, as many as a result can show and one
 * more, so that a search can skip every older file without opening it. Thread-safe.
 */
final class RecentMatches {

  /**
   * The matches of one file.
   *
   * @param path relative to the workspace
   * @param lines the lines of the result
   */
  record FileMatches(FileTime modifiedAt, String path, List<String> lines) {

    static final Comparator<FileMatches> NEWEST_FIRST =
        comparing(FileMatches::modifiedAt, reverseOrder()).thenComparing(FileMatches::path);

    FileMatches {
      lines = List.copyOf(lines);
    }

    private long chars() {
      return lines.stream().mapToLong(line -> line.length() + 1L).sum();
    }
  }

  private final int maxLines;
  private final String separator;
  private final TreeSet<FileMatches> matches = new TreeSet<>(FileMatches.NEWEST_FIRST);
  private volatile @Nullable FileMatches last;
  private long lines;
  private long chars;

  /**
   * @param separator a line between two files; empty for none
   */
  RecentMatches(int maxLines, String separator) {
    this.maxLines = maxLines;
    this.separator = separator;
  }

  /** Returns whether matches of this file could be part of the result. */
  boolean wants(FileTime modifiedAt, String path) {
    var oldest = last;
    return oldest == null
        || FileMatches.NEWEST_FIRST.compare(new FileMatches(modifiedAt, path, List.of()), oldest)
            < 0;
  }

  synchronized void add(FileMatches match) {
    if (match.lines().isEmpty() || !matches.add(match)) {
      return;
    }
    lines += match.lines().size();
    chars += match.chars();
    while (isTooMuch(lines - matches.last().lines().size(), chars - matches.last().chars())) {
      var oldest = matches.removeLast();
      lines -= oldest.lines().size();
      chars -= oldest.chars();
    }
    if (isTooMuch(lines, chars)) {
      last = matches.last();
    }
  }

  /** The result has no line end after its last line. */
  private boolean isTooMuch(long ofLines, long ofChars) {
    return ofLines > maxLines || ofChars > OutputCap.MAX_CHARS + 1;
  }

  /** Returns the result, with the most recently changed files first. */
  synchronized OutputCap found() {
    var found = new OutputCap(maxLines);
    for (var match : matches) {
      if (found.lines() > 0 && !separator.isEmpty()) {
        found.add(separator);
      }
      match.lines().forEach(found::add);
    }
    return found;
  }
}
