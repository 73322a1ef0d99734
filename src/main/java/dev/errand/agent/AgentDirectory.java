package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of the operator's agents, one {@code *.md} file per agent, also in folders. Names
 * that begin with a dot, modules of Node.js, and links to a folder above are left out.
 */
record AgentDirectory(Path path) {

  private static final int MAX_LEVELS = 12;

  private static final Pattern HIDDEN = Pattern.compile("\\..*|node_modules");
  private static final Pattern MARKDOWN = Pattern.compile("(?i).+\\.(?:md|markdown)");

  /**
   * Returns the files, sorted by name, those in folders after the others; empty if the directory
   * does not exist.
   *
   * @param diagnostics gets the folders that cannot be read
   */
  List<Path> files(AgentFileDiagnostics diagnostics) {
    var found = new ArrayList<Path>();
    if (Files.exists(path)) {
      collect(path, List.of(), found, diagnostics);
    }
    return List.copyOf(found);
  }

  /**
   * @param above the folders above this one, with links resolved
   */
  private void collect(
      Path folder, List<Path> above, List<Path> found, AgentFileDiagnostics diagnostics) {
    try {
      var real = folder.toRealPath();
      if (above.stream().anyMatch(read -> read.startsWith(real))) {
        return;
      }
      if (above.size() == MAX_LEVELS) {
        diagnostics.problem(broken(folder, "is too deep, so it is not read"));
        return;
      }
      var entries = entries(folder);
      entries.stream().filter(AgentDirectory::isFile).forEach(found::add);
      var path = Stream.concat(above.stream(), Stream.of(real)).toList();
      entries.stream()
          .filter(Files::isDirectory)
          .forEach(entry -> collect(entry, path, found, diagnostics));
    } catch (IOException fault) {
      diagnostics.problem(broken(folder, "is not a directory that can be read"));
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (var entries = Files.list(folder)) {
      return entries
          .filter(entry -> !HIDDEN.matcher(entry.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  /** A link to nothing counts, because it should be a file. */
  private static boolean isFile(Path entry) {
    return MARKDOWN.matcher(entry.getFileName().toString()).matches()
        && (Files.isRegularFile(entry) || (Files.isSymbolicLink(entry) && Files.notExists(entry)));
  }

  private BrokenFile broken(Path folder, String problem) {
    var place = relative(folder);
    return new BrokenFile(place.isEmpty() ? "." : place, 1, problem);
  }

  /** Returns the path of a file below this directory, with slashes. */
  String relative(Path file) {
    return path.relativize(file).toString().replace('\\', '/');
  }
}
