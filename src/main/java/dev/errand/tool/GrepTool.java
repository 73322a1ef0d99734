package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** Searches the content of text files. */
@Singleton
final class GrepTool extends FileTool {

  private static final int DEFAULT_LIMIT = 250;
  private static final int MAX_LIMIT = 10_000;
  private static final int MAX_CONTEXT = 20;

  private static final String FILES = "files_with_matches";
  private static final String CONTENT = "content";
  private static final String COUNT = "count";

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "grep",
        """
        Searches text files line by line for a regular expression (RE2 syntax: no backreferences, \
        no lookaround) and shows, in path order, the files that match, the matching lines as \
        path:line:text, or the number of matching lines per file. Paths are relative to the \
        workspace. Leaves out .git, binary files, files over 10 MB and symbolic links. A result \
        that was cut says how much is missing.\
        """,
        ParameterSchema.object()
            .string("pattern", "The regular expression, found anywhere in a line.")
            .required()
            .text("path", "The file or folder to search; the workspace if absent.")
            .string("glob", "Search only files like this: *.java, or src/**/*.{ts,tsx}.")
            .enumeration(
                "output_mode",
                "files_with_matches (if absent): paths only. content: the lines. count: how many.",
                List.of(CONTENT, FILES, COUNT))
            .bool("case_insensitive", "Take upper and lower case as the same; false if absent.")
            .integer("context", "Lines to show around each match in content.", 0, MAX_CONTEXT)
            .integer("head_limit", "Lines of the result; 250 if absent.", 1, MAX_LIMIT)
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  String path(ObjectNode arguments) {
    return arguments.path("path").asText();
  }

  @Override
  String result(ObjectNode arguments, Workspace workspace) throws IOException {
    var report = report(arguments);
    var search = new GrepSearch(workspace, wanted(arguments), report);
    search.search(workspace.find(path(arguments)));
    return text(report.found()) + search.remarks();
  }

  private static GrepReport report(ObjectNode arguments) {
    var match =
        LineMatch.of(
            arguments.path("pattern").asText(), arguments.path("case_insensitive").asBoolean());
    var found = new OutputCap(arguments.path("head_limit").asInt(DEFAULT_LIMIT));
    return switch (arguments.path("output_mode").asText(FILES)) {
      case CONTENT -> new GrepReport.MatchingLines(match, arguments.path("context").asInt(), found);
      case COUNT -> new GrepReport.MatchCounts(match, found);
      default -> new GrepReport.MatchingFiles(match, found);
    };
  }

  private static Predicate<Path> wanted(ObjectNode arguments) {
    return arguments.has("glob")
        ? GlobPattern.of("glob", arguments.path("glob").asText())::matches
        : _ -> true;
  }

  private static String text(OutputCap found) {
    if (found.isFull()) {
      return "%s\n(and %d more lines; narrow the search or raise head_limit)"
          .formatted(found.text(), found.omitted());
    }
    return found.lines() == 0 ? "No matches." : found.text();
  }
}
