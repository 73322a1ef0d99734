package dev.errand.tool.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The additional steps for the sandbox of a service that runs as root. The user in the sandbox is
 * root to the file system: it owns the device nodes of the machine and could change their modes,
 * and the kernel exempts it from the limit on processes. Therefore the nodes are mounted read-only
 * before bubblewrap starts, and where control groups can be created, one limits the processes.
 */
final class RootPrecautions {

  private static final String SCRIPT =
      """
      for node in null zero full random urandom tty; do
        @mount@ --bind "/dev/$node" "/dev/$node" && @mount@ -o remount,bind,ro "/dev/$node" || exit 126
      done
      for groups in /sys/fs/cgroup/pids /sys/fs/cgroup; do
        group=$groups/errand-$$
        @mkdir@ "$group" && echo "$0" > "$group/pids.max" && echo $$ > "$group/cgroup.procs" && break
      done 2>/dev/null
      exec "$@"
      """;

  private RootPrecautions() {}

  static boolean areNeeded() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  /** Returns the command line to put before that of the sandbox. */
  static List<String> commandLine(int processes, HelperPrograms programs) throws IOException {
    var line = new ArrayList<>(List.of(programs.find("unshare"), "--mount"));
    line.addAll(List.of("--propagation", "private", "/bin/sh", "-c", programs.in(SCRIPT)));
    line.add(Integer.toString(processes));
    return line;
  }
}
