package dev.errand.tool.search;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.OutputCap;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.FileTool;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.Workspace;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.Comparator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/** Finds files whose path matches a pattern. */
@Singleton
public final class GlobTool extends FileTool {

  private static final int MAX_SHOWN = 1_000;
  private static final Pattern REGEX = Pattern.compile("\\^.*|.*\\$|.*\\\\\\..*");

  private record GlobMatch(String path, FileTime modifiedAt) {

    static final Comparator<GlobMatch> NEWEST_FIRST =
        comparing(GlobMatch::modifiedAt, reverseOrder()).thenComparing(GlobMatch::path);
  }

  public GlobTool(FileRules rules) {
    super(rules, "path", ToolEffect.PURE);
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "glob",
        "Find files",
        """
        Finds files whose path matches a pattern: * and ? match within a name, ** matches any number \
        of directories, [a-z] one character, {a,b}, {1..3} and @(a|b) one of several; a leading ! \
        excludes. A pattern without a slash (*.java) matches names at any depth; a pattern with a \
        slash (src/**/*.java) matches paths relative to the directory where the search starts. \
        Separate several patterns by commas. Returns at most 1000 paths relative to the workspace, \
        the most recently changed files first. Skips .git and files that .gitignore excludes \
        (unless path names their directory), and does not follow symbolic links.\
        """,
        ParameterSchema.object()
            .string("pattern", "The pattern, for example **/*.java or src/{main,test}/**.")
            .required()
            .text("path", "The directory where the search starts. Default: the workspace.")
            .maxLength(ParameterSchema.MAX_CHARS)
            .build());
  }

  @Override
  public ToolLoad load() {
    return ToolLoad.SEARCH;
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var start = workspace.findFolder(path(arguments));
    var glob = arguments.path("pattern").asText();
    var pattern = GlobPattern.of("pattern", glob, workspace, start);
    var below = IgnoreRules.folderPrefix(start.path()) + glob + "/";
    var isFolder = new AtomicBoolean();
    var matches = new ConcurrentLinkedQueue<GlobMatch>();
    var walk =
        new TreeWalk(
            workspace,
            new CancelFlag(),
            file -> {
              if (pattern.matches(file.path())) {
                matches.add(new GlobMatch(file.path(), file.modifiedAt()));
              } else if (file.path().startsWith(below)) {
                isFolder.set(true);
              }
            });
    walk.walk(start);
    return text(matches)
        + (matches.isEmpty() ? hint(glob, isFolder.get()) : "")
        + walk.remark(matches.isEmpty());
  }

  /** Returns what the pattern may have meant. */
  private static String hint(String glob, boolean isFolder) {
    if (isFolder) {
      var folder = ShownPath.of(glob);
      return "\n(%s is a directory: %s/** matches the files in it.)".formatted(folder, folder);
    }
    return REGEX.matcher(glob).matches()
        ? "\n(The pattern looks like a regular expression: here, * stands for any characters.)"
        : "";
  }

  private static String text(Collection<GlobMatch> matches) {
    if (matches.isEmpty()) {
      return "No file matches.";
    }
    var shown = new OutputCap(MAX_SHOWN);
    matches.stream()
        .sorted(GlobMatch.NEWEST_FIRST)
        .forEach(match -> shown.add(ShownPath.of(match.path())));
    return shown.isFull()
        ? shown.text() + "\n(and %d more files; narrow the pattern)".formatted(shown.omitted())
        : shown.text();
  }
}
