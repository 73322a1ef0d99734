package dev.errand.tool.file;

import static java.util.Comparator.comparingInt;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What somebody may have meant who named a file that is not there. */
public final class NearNames {

  private static final int MAX_LOOKED_AT = 10_000;
  private static final int MAX_NAMED = 3;

  private NearNames() {}

  /** A question that names what is near in the same folder; empty when nothing is. */
  public static String suggestion(Workspace workspace, WorkspacePath missing) {
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
      return folder.names(MAX_LOOKED_AT).stream()
          .filter(name -> !name.toString().equals(WorkspacePathResolver.SERVICE_DATA))
          .filter(name -> typingErrors(wanted, stem(name)) <= Math.max(1, wanted.length() / 3))
          .sorted(comparingInt(name -> typingErrors(wanted, stem(name))))
          .limit(MAX_NAMED)
          .toList();
    } catch (IOException noSuchFolder) {
      return List.of();
    }
  }

  /** The name without its extension: whoever errs there means the same file. */
  private static String stem(Path path) {
    var name = path.toString().toLowerCase(Locale.ROOT);
    var dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }

  /** Characters to insert, delete or replace (Levenshtein's distance). */
  private static int typingErrors(String one, String other) {
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
