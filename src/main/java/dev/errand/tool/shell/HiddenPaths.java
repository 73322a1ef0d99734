package dev.errand.tool.shell;

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
        Stream.of("config/application.properties", ".env")
            .map(startedIn::resolve)
            .filter(Files::isRegularFile)
            .map(HiddenPaths::real)
            .toList());
  }

  /**
   * Those below {@code workspace}, and its own folder {@code .errand}, whosever it is.
   *
   * @throws IllegalStateException one is not where it was when the service started: it was moved to
   *     get at it
   */
  HiddenPaths below(Path workspace) {
    Stream.concat(folders.stream(), files.stream())
        .filter(path -> !Files.exists(path))
        .findAny()
        .ifPresent(path -> {
          throw new IllegalStateException(path + " has gone");
        });
    return new HiddenPaths(
        Stream.concat(Stream.of(workspace.resolve(USUAL_HOME)), folders.stream())
            .filter(Files::isDirectory)
            .map(HiddenPaths::real)
            .filter(path -> isBelow(path, workspace))
            .distinct()
            .toList(),
        files.stream().filter(path -> isBelow(path, workspace)).toList());
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
