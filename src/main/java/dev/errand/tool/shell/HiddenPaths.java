package dev.errand.tool.shell;

import dev.errand.tool.file.FileRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The service's own files, which commands must not read or change even if a workspace contains
 * them: its home with the embedded database, and its configuration files.
 *
 * @param directories absolute paths without links
 * @param files absolute paths without links
 */
record HiddenPaths(List<Path> directories, List<Path> files) {

  private static final String DEFAULT_HOME = ".errand";

  /**
   * @param home the home of the service, {@code errand.home}
   * @param startedIn the working directory of the service
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
   * Returns the paths below {@code workspace}, and its directory {@code .errand} in any case.
   *
   * @throws IOException a path was moved since the service started and could be read at its new
   *     place
   */
  HiddenPaths below(Path workspace) throws IOException {
    var known = Stream.concat(directories.stream(), files.stream());
    if (known.anyMatch(path -> isBelow(path, workspace) && !Files.exists(path))) {
      throw new IOException("files of the service were moved; the service must be restarted");
    }
    var below =
        Stream.concat(Stream.of(workspace.resolve(DEFAULT_HOME)), directories.stream())
            .filter(Files::isDirectory)
            .map(HiddenPaths::real)
            .filter(path -> isBelow(path, workspace))
            .distinct()
            .toList();
    return new HiddenPaths(
        below.stream().filter(path -> isOutside(path, below)).toList(),
        files.stream().filter(path -> isBelow(path, workspace) && isOutside(path, below)).toList());
  }

  /** A hidden directory hides everything below it, and nothing can be mounted there. */
  private static boolean isOutside(Path path, List<Path> hidden) {
    return hidden.stream().noneMatch(directory -> isBelow(path, directory));
  }

  private static boolean isBelow(Path path, Path directory) {
    return path.startsWith(directory) && !path.equals(directory);
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
