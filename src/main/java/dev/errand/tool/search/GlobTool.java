package dev.errand.tool.search;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.OutputCap;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
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

/** Finds files by the look of their paths. */
@Singleton
public final class GlobTool extends FileTool {

  private static final int MAX_SHOWN = 1_000;

  private record Hit(String path, FileTime modifiedAt) {

    static final Comparator<Hit> NEWEST_FIRST =
        comparing(Hit::modifiedAt, reverseOrder()).thenComparing(Hit::path);
  }

  public GlobTool(FileRules rules) {
    super(rules);
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "glob",
        """
        Finds files whose path matches a pattern: * and ? stand for characters of one name, ** for \
        any number of folders, {a,b} for one of several. A pattern without a slash (*.java) is \
        about the name at any depth; one with a slash (src/**/*.java) about the path from the \
        folder where the search begins. Shows paths relative to the workspace, the files changed \
        last first, at most 1000. Leaves out what .gitignore excludes (unless path names it) and \
        .git, and does not follow symbolic links.\
        """,
        ParameterSchema.object()
            .string("pattern", "The pattern, like **/*.java or src/{main,test}/**.")
            .required()
            .text("path", "The folder where the search begins; the workspace if absent.")
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  protected String path(ObjectNode arguments) {
    return arguments.path("path").asText();
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var pattern = GlobPattern.of("pattern", arguments.path("pattern").asText());
    var start = workspace.findFolder(path(arguments));
    var hits = new ConcurrentLinkedQueue<Hit>();
    var walk =
        new TreeWalk(
            workspace,
            new CancelFlag(),
            file -> {
              if (pattern.matches(file.fromStart())) {
                hits.add(new Hit(file.path(), file.modifiedAt()));
              }
            });
    walk.walk(start);
    return text(hits) + walk.remark(hits.isEmpty());
  }

  private static String text(Collection<Hit> hits) {
    if (hits.isEmpty()) {
      return "No file matches.";
    }
    var shown = new OutputCap(MAX_SHOWN);
    hits.stream().sorted(Hit.NEWEST_FIRST).forEach(hit -> shown.add(ShownPath.of(hit.path())));
    return shown.isFull()
        ? shown.text() + "\n(and %d more files; narrow the pattern)".formatted(shown.omitted())
        : shown.text();
  }
}
