package dev.errand.tool.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a sandbox of a service that runs as root needs besides. The user inside, whatever its number
 * there, is root to the file system; so it owns the machine's device nodes and could change their
 * modes, and the kernel exempts it from the limit on processes. Before bubblewrap starts, the nodes
 * are mounted read-only for it, and where control groups can be made, one bounds the processes.
 */
final class RootPrecautions {

  private static final String SCRIPT =
      """
      for node in null zero full random urandom tty; do
        mount --bind "/dev/$node" "/dev/$node" && mount -o remount,bind,ro "/dev/$node" || exit 126
      done
      for groups in /sys/fs/cgroup/pids /sys/fs/cgroup; do
        group=$groups/errand-$$
        mkdir "$group" && echo "$0" > "$group/pids.max" && echo $$ > "$group/cgroup.procs" && break
      done 2>/dev/null
      exec "$@"
      """;

  private RootPrecautions() {}

  static boolean areNeeded() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  /** The command line, to be followed by that of the sandbox. */
  static List<String> commandLine(int processes) {
    var line = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private"));
    line.addAll(List.of("/bin/sh", "-c", SCRIPT, Integer.toString(processes)));
    return line;
  }
}
