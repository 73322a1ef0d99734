package dev.errand.tool.shell;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.OpenFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Checks inside of the sandbox, before the command starts, that the directories of the workspace
 * are those that the service found there. The sandbox program mounts them by path and follows
 * links, and another command in the same workspace can exchange a directory and a link in the
 * meantime.
 */
final class SameMounts {

  /** Prints a directory as Java does: its device and its inode. Does not follow a link. */
  private static final String SCRIPT =
      """
      while [ "$1" != -- ]; do
        [ "$(PATH=%s stat -c '(dev=%%D,ino=%%i)' "$1")" = "$2" ] || {
          echo 'Not run: another command replaced directories of the workspace at the same time. Try again.'
          exit 126
        }
        shift 2
      done
      shift
      exec "$@"
      """
          .formatted(HelperPrograms.SYSTEM);

  private SameMounts() {}

  /**
   * Returns a command line to put before that of the command.
   *
   * @param workspace a real path
   * @param mounted directories in it that are mounted themselves
   * @throws IOException one of them has become a link
   */
  static List<String> commandLine(Path workspace, Iterable<Path> mounted, FileRules rules)
      throws IOException {
    var root = rules.rootOf(workspace, workspace).orElse(workspace);
    var line = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sh"));
    line.addAll(List.of(workspace.toString(), identity(root, workspace)));
    for (var path : mounted) {
      line.addAll(List.of(path.toString(), identity(root, path)));
    }
    line.add("--");
    return line;
  }

  /** No link is followed below the root, so the directory is in it. */
  private static String identity(Path root, Path path) throws IOException {
    try (var folder = OpenFolder.at(root, root.relativize(path))) {
      return Objects.toString(folder.attributes(Path.of(".")).fileKey());
    }
  }
}
