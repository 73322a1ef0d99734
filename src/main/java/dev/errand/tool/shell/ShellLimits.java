package dev.errand.tool.shell;

import java.util.List;
import java.util.Optional;

/**
 * The limits of one command with all its processes.
 *
 * <p>The kernel enforces for each process: writable memory, file size, no core dumps, and in a
 * sandbox the number of processes (for root see {@link RootPrecautions}). Without a control group,
 * which a service cannot create everywhere, the kernel does not limit the memory of several
 * processes together. So memory and number of processes are measured while the command runs ({@link
 * ProcessTable}), and a command that exceeds a limit is killed. Not limited: the total size of the
 * workspace, and CPU time except by the time-out (commands have a low priority).
 *
 * @param processes the number of concurrent processes
 * @param memoryBytes the memory of all processes together, and of each
 */
record ShellLimits(int processes, long memoryBytes) {

  static final int PROCESSES = 800;

  /**
   * The kernel limit on processes and threads, above the measured limit so that that one applies.
   */
  static final int KERNEL_PROCESSES = 1000;

  private static final long FILE_BLOCKS = 2L << 20; // of 512 bytes: 1 GiB

  /**
   * Bash limits processes with -u, dash and busybox with -p, which means something else in bash.
   */
  private static final String LIMIT_PROCESSES =
      "ulimit -u %1$d 2>/dev/null || ulimit -p %1$d 2>/dev/null || :; ";

  private static final String LIMIT_EACH =
      "ulimit -c 0; ulimit -f %d; ulimit -d %d || exit 126; exec \"$0\" -c \"$1\"";

  /**
   * Returns a command line that sets the kernel limits, to be followed by the command.
   *
   * @param onlyUser whether all processes of the user belong to this command; otherwise the threads
   *     of the service would count, too
   */
  List<String> shell(String shell, boolean onlyUser) {
    var count = onlyUser ? LIMIT_PROCESSES.formatted(KERNEL_PROCESSES) : "";
    var each = LIMIT_EACH.formatted(FILE_BLOCKS, memoryBytes / 1024);
    return List.of("/bin/sh", "-c", count + each, shell);
  }

  /** Returns which limit is exceeded, as a text. */
  Optional<String> excess(ProcessTable.ProcessUsage usage) {
    if (usage.processes() > processes) {
      return Optional.of("more than %d processes at once".formatted(processes));
    }
    if (usage.memoryBytes() > memoryBytes) {
      return Optional.of("more than %d MB of memory".formatted(memoryBytes >> 20));
    }
    return Optional.empty();
  }
}
