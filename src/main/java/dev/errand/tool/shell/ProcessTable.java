package dev.errand.tool.shell;

import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The processes of this machine, as {@code /proc} shows them: who descends from whom, and what they
 * take. All that ask share one look, which is taken anew when it is {@link #FRESH_NANOS} old: its
 * cost does not grow with the commands that run.
 */
@Singleton
class ProcessTable {

  private static final long FRESH_NANOS = 200_000_000;
  private static final int PARENT = 1;

  private Map<Long, List<Long>> children = Map.of();
  private long takenAt = System.nanoTime() - FRESH_NANOS;

  /**
   * What a process and all below it take.
   *
   * @param memoryBytes what they do not share with files
   */
  record Usage(int processes, long memoryBytes) {}

  Usage below(long root) {
    var known = children();
    var open = new ArrayDeque<>(List.of(root));
    var processes = 0;
    var bytes = 0L;
    while (!open.isEmpty() && processes <= ShellLimits.PROCESSES) {
      var pid = open.remove();
      processes++;
      bytes += memory(pid);
      open.addAll(known.getOrDefault(pid, List.of()));
    }
    return new Usage(processes, bytes);
  }

  private synchronized Map<Long, List<Long>> children() {
    if (System.nanoTime() - takenAt >= FRESH_NANOS) {
      children = look();
      takenAt = System.nanoTime();
    }
    return children;
  }

  private static Map<Long, List<Long>> look() {
    var found = new HashMap<Long, List<Long>>();
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (var process : processes) {
        var parent = parent(read(process.resolve("stat")));
        if (parent >= 0) {
          var pid = Long.parseLong(process.getFileName().toString());
          found.computeIfAbsent(parent, _ -> new ArrayList<>()).add(pid);
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return found;
  }

  /** {@code 42 (any name) S 1 …}: the name may hold blanks and parentheses. */
  private static long parent(String stat) {
    var afterName = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", PARENT + 2);
    return afterName.length > PARENT ? Long.parseLong(afterName[PARENT]) : -1;
  }

  private static long memory(long pid) {
    return read(Path.of("/proc", Long.toString(pid), "status"))
        .lines()
        .filter(line -> line.startsWith("RssAnon:") || line.startsWith("RssShmem:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .sum();
  }

  /** Empty for a process that has gone meanwhile. */
  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }
}
