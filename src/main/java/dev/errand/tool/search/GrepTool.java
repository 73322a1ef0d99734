package dev.errand.tool.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.FileTool;
import dev.errand.tool.file.Workspace;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/** Searches the content of text files. */
@Singleton
public final class GrepTool extends FileTool {

  private static final int DEFAULT_LIMIT = 250;
  private static final int MAX_LIMIT = 10_000;
  private static final int MAX_CONTEXT = 20;

  private static final String FILES = "files_with_matches";
  private static final String CONTENT = "content";
  private static final String COUNT = "count";

  public GrepTool(FileRules rules) {
    super(rules);
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "grep",
        """
        Searches text files line by line for a regular expression (RE2 syntax: no backreferences, \
        no lookaround) and shows the files that match, the matching lines as path:line:text, or \
        the number of matching lines per file. The files changed last come first; what is beyond \
        head_limit is older. Paths are relative to the workspace. Leaves out what .gitignore \
        excludes (unless path names it), .git, binary files, files over 10 MB and symbolic links.\
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
  protected String path(ObjectNode arguments) {
    return arguments.path("path").asText();
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    return new GrepSearch(workspace, order(arguments)).search(workspace.find(path(arguments)));
  }

  private static GrepSearch.Order order(ObjectNode arguments) {
    var match =
        LineMatch.of(
            arguments.path("pattern").asText(),
            arguments.path("case_insensitive").asBoolean(),
            new CancelFlag());
    var limit = arguments.path("head_limit").asInt(DEFAULT_LIMIT);
    var context = arguments.path("context").asInt();
    var report =
        switch (arguments.path("output_mode").asText(FILES)) {
          case CONTENT -> new GrepReport.MatchingLines(match, context, limit);
          case COUNT -> new GrepReport.MatchCounts(match);
          default -> new GrepReport.MatchingFiles(match);
        };
    var separator = report instanceof GrepReport.MatchingLines && context > 0 ? "--" : "";
    return new GrepSearch.Order(
        match, wanted(arguments), report, new RecentMatches(limit, separator));
  }

  private static Predicate<String> wanted(ObjectNode arguments) {
    return arguments.has("glob")
        ? GlobPattern.of("glob", arguments.path("glob").asText())::matches
        : _ -> true;
  }
}
