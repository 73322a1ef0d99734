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
 * Collects what a search finds and keeps the files changed last, as many as a result can show and
 * one more. So a search can pass over any file that is older than all of these without opening it.
 * Used by several threads.
 */
final class RecentMatches {

  /**
   * What one file brings.
   *
   * @param path relative to the workspace
   * @param lines what the result shows of it
   */
  record Hit(FileTime modifiedAt, String path, List<String> lines) {

    static final Comparator<Hit> NEWEST_FIRST =
        comparing(Hit::modifiedAt, reverseOrder()).thenComparing(Hit::path);

    Hit {
      lines = List.copyOf(lines);
    }

    private long chars() {
      return lines.stream().mapToLong(line -> line.length() + 1L).sum();
    }
  }

  private final int maxLines;
  private final String separator;
  private final TreeSet<Hit> hits = new TreeSet<>(Hit.NEWEST_FIRST);
  private volatile @Nullable Hit last;
  private long lines;
  private long chars;

  /**
   * @param separator a line between two files; empty for none
   */
  RecentMatches(int maxLines, String separator) {
    this.maxLines = maxLines;
    this.separator = separator;
  }

  /** Whether the result could show something of this file. */
  boolean wants(FileTime modifiedAt, String path) {
    var oldest = last;
    return oldest == null
        || Hit.NEWEST_FIRST.compare(new Hit(modifiedAt, path, List.of()), oldest) < 0;
  }

  synchronized void add(Hit hit) {
    if (hit.lines().isEmpty() || !hits.add(hit)) {
      return;
    }
    lines += hit.lines().size();
    chars += hit.chars();
    while (isTooMuch(lines - hits.last().lines().size(), chars - hits.last().chars())) {
      var oldest = hits.removeLast();
      lines -= oldest.lines().size();
      chars -= oldest.chars();
    }
    if (isTooMuch(lines, chars)) {
      last = hits.last();
    }
  }

  private boolean isTooMuch(long ofLines, long ofChars) {
    return ofLines > maxLines || ofChars > OutputCap.MAX_CHARS;
  }

  /** What was found, the files changed last first. */
  synchronized OutputCap found() {
    var found = new OutputCap(maxLines);
    for (var hit : hits) {
      if (found.lines() > 0 && !separator.isEmpty()) {
        found.add(separator);
      }
      hit.lines().forEach(found::add);
    }
    return found;
  }
}
