package dev.errand.tool.shell;

import java.util.List;
import java.util.Optional;

/**
 * What one command with all its children may take.
 *
 * <p>The kernel enforces for each process: memory it writes to, file size, no core dumps – and in a
 * sandbox the number of processes, see {@link RootPrecautions} for root. No limit of the kernel's
 * counts the memory of several processes without a control group, which a service may not make
 * everywhere; so it is looked at while the command runs ({@link ProcessTable}), as is the number of
 * processes, and a command that is over is killed. Not bounded: what all files of the workspace
 * take together, and processor time but by the time-out (commands have a low priority).
 *
 * @param processes at once
 * @param memoryBytes of all together, and of each
 */
record ShellLimits(int processes, long memoryBytes) {

  static final int PROCESSES = 800;

  /** Processes and threads, by the kernel: more, for a command to be killed for its processes. */
  static final int MOST_PROCESSES = 1000;

  private static final long FILE_BLOCKS = 2L << 20; // of 512 bytes: 1 GiB

  /** Bash counts processes with -u, dash and busybox with -p, which is another thing to bash. */
  private static final String COUNT =
      "ulimit -u %1$d 2>/dev/null || ulimit -p %1$d 2>/dev/null || :; ";

  private static final String EACH =
      "ulimit -c 0; ulimit -f %d; ulimit -d %d || exit 126; exec \"$0\" -c \"$1\"";

  /**
   * A command line, to be followed by the command itself, that sets what the kernel enforces.
   *
   * @param countsAlone whether the processes of this command are the only ones of its user: else
   *     the service's own threads would count
   */
  List<String> shell(String shell, boolean countsAlone) {
    var count = countsAlone ? COUNT.formatted(MOST_PROCESSES) : "";
    var each = EACH.formatted(FILE_BLOCKS, memoryBytes / 1024);
    return List.of("/bin/sh", "-c", count + each, shell);
  }

  /** What is over the limits, in words. */
  Optional<String> excess(ProcessTable.Usage usage) {
    if (usage.processes() > processes) {
      return Optional.of("more than %d processes at once".formatted(processes));
    }
    if (usage.memoryBytes() > memoryBytes) {
      return Optional.of("more than %d MB of memory".formatted(memoryBytes >> 20));
    }
    return Optional.empty();
  }
}
