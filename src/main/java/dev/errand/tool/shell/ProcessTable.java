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
 * The processes of this machine as {@code /proc} shows them: their parents and their memory. All
 * callers share one snapshot, which is renewed after {@link #FRESH_NANOS}, so that the cost does
 * not grow with the number of running commands.
 */
@Singleton
class ProcessTable {

  private static final long FRESH_NANOS = 200_000_000;
  private static final int PARENT = 1;

  private Map<Long, List<Long>> children = Map.of();
  private long takenAt = System.nanoTime() - FRESH_NANOS;

  /**
   * The usage of a process and its descendants.
   *
   * @param memoryBytes memory that is not backed by files
   */
  record ProcessUsage(int processes, long memoryBytes) {}

  ProcessUsage below(long root) {
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
    return new ProcessUsage(processes, bytes);
  }

  private synchronized Map<Long, List<Long>> children() {
    if (System.nanoTime() - takenAt >= FRESH_NANOS) {
      children = snapshot();
      takenAt = System.nanoTime();
    }
    return children;
  }

  private static Map<Long, List<Long>> snapshot() {
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

  /**
   * Reads the parent from {@code 42 (any name) S 1 …}: the name may contain spaces and parentheses.
   */
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

  /** Reads a file; returns an empty text for a process that has ended in the meantime. */
  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }
}
