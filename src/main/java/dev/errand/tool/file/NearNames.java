package dev.errand.tool.file;

import static java.util.Comparator.comparingInt;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Suggests existing files with a similar name for a file that does not exist. */
final class NearNames {

  private static final int MAX_COMPARED = 10_000;
  private static final int MAX_NAMED = 3;

  private NearNames() {}

  /** Returns a question that names similar files in the same directory; empty if there are none. */
  static String suggestion(Workspace workspace, WorkspacePath missing) {
    var near = near(workspace, missing);
    return near.isEmpty()
        ? ""
        : near.stream()
            .map(name -> ShownPath.of(missing.folder().resolve(name)))
            .collect(Collectors.joining(", ", "; did you mean ", "?"));
  }

  private static List<Path> near(Workspace workspace, WorkspacePath missing) {
    var wanted = stem(missing.name());
    try (var folder = workspace.openFolder(missing.folder())) {
      return folder.names(MAX_COMPARED).stream()
          .filter(name -> distance(wanted, stem(name)) <= Math.max(1, wanted.length() / 3))
          .filter(name -> isShown(workspace, folder, missing.folder().resolve(name)))
          .sorted(comparingInt(name -> distance(wanted, stem(name))))
          .limit(MAX_NAMED)
          .toList();
    } catch (IOException noSuchFolder) {
      return List.of();
    }
  }

  private static boolean isShown(Workspace workspace, OpenFolder folder, Path path) {
    try {
      var attributes = folder.attributes(path.getFileName());
      return !workspace.hides(ShownPath.withSlashes(path), attributes);
    } catch (IOException gone) {
      return false;
    }
  }

  /** Returns the name without its extension, which is often the mistake. */
  private static String stem(Path path) {
    var name = path.toString().toLowerCase(Locale.ROOT);
    var dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }

  /** Returns the number of characters to insert, delete or replace (Levenshtein distance). */
  private static int distance(String one, String other) {
    var above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      var row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        var replaced = above[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[other.length()];
  }
}
