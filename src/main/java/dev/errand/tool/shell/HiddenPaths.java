package dev.errand.tool.shell;

import dev.errand.tool.file.FileRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The service's own files, which no command may read or change where a workspace contains them: its
 * home with the embedded database, and the files that it takes its configuration from.
 *
 * @param folders absolute, without links
 * @param files absolute, without links
 */
record HiddenPaths(List<Path> folders, List<Path> files) {

  private static final String USUAL_HOME = ".errand";

  /**
   * @param home the service's, {@code errand.home}
   * @param startedIn where the service was started
   */
  static HiddenPaths of(Path home, Path startedIn) {
    return new HiddenPaths(
        Stream.of(home, home.resolve("postgres"))
            .filter(Files::isDirectory)
            .map(HiddenPaths::real)
            .toList(),
        FileRules.CONFIGURATION.stream()
            .map(startedIn::resolve)
            .filter(Files::isRegularFile)
            .map(HiddenPaths::real)
            .toList());
  }

  /**
   * Those below {@code workspace}, and its own folder {@code .errand}, whosever it is.
   *
   * @throws IOException one is not where it was when the service started: its folder was renamed,
   *     and it would be found under that name
   */
  HiddenPaths below(Path workspace) throws IOException {
    var known = Stream.concat(folders.stream(), files.stream());
    if (known.anyMatch(path -> isBelow(path, workspace) && !Files.exists(path))) {
      throw new IOException("files of the service were moved; it must be started again");
    }
    var below =
        Stream.concat(Stream.of(workspace.resolve(USUAL_HOME)), folders.stream())
            .filter(Files::isDirectory)
            .map(HiddenPaths::real)
            .filter(path -> isBelow(path, workspace))
            .distinct()
            .toList();
    return new HiddenPaths(
        below.stream().filter(path -> isOutside(path, below)).toList(),
        files.stream().filter(path -> isBelow(path, workspace) && isOutside(path, below)).toList());
  }

  /** What lies in a hidden folder is hidden with it, and nothing can be mounted there. */
  private static boolean isOutside(Path path, List<Path> hidden) {
    return hidden.stream().noneMatch(folder -> isBelow(path, folder));
  }

  private static boolean isBelow(Path path, Path folder) {
    return path.startsWith(folder) && !path.equals(folder);
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
