package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The directory of the operator's agents, one {@code *.md} file per agent. The files in a directory
 * that is named like an agent define private agents, which only that agent may use.
 */
record AgentDirectory(Path path) {

  /** No task can be deeper than a few levels; it also ends a loop of links. */
  private static final int MAX_LEVELS = 5;

  /**
   * The agent files, sorted by name, those of private agents after the others; empty if the
   * directory does not exist.
   *
   * @throws BrokenFile a directory cannot be read
   */
  List<Path> files() {
    return Files.notExists(path) ? List.of() : files(path, 1);
  }

  private List<Path> files(Path folder, int level) {
    try (var entries = Files.list(folder)) {
      var visible =
          entries
              .filter(entry -> !entry.getFileName().toString().startsWith("."))
              .sorted()
              .toList();
      var files =
          visible.stream()
              .filter(entry -> entry.toString().toLowerCase(Locale.ROOT).endsWith(".md"))
              .filter(Files::isRegularFile);
      var below =
          visible.stream()
              .filter(entry -> level < MAX_LEVELS && Files.isDirectory(entry))
              .flatMap(entry -> files(entry, level + 1).stream());
      return Stream.concat(files, below).toList();
    } catch (IOException fault) {
      var place = relative(folder);
      throw new BrokenFile(place.isEmpty() ? "." : place, 1, "is not a directory that can be read");
    }
  }

  /** The path of a file below this directory, with slashes. */
  String relative(Path file) {
    return path.relativize(file).toString().replace('\\', '/');
  }

  /** The agent that alone may use the agent of this file; empty if all may. */
  String parent(Path file) {
    var name = relative(file);
    return name.substring(0, Math.max(0, name.lastIndexOf('/'))).toLowerCase(Locale.ROOT);
  }
}
