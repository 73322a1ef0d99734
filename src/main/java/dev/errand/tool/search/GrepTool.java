package dev.errand.tool.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
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
    super(rules, "path", ToolEffect.PURE);
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "grep",
        "Search in files",
        """
        Searches text files line by line for a regular expression (RE2 syntax: no backreferences, \
        no lookaround) and returns the files that match, the matching lines as path:line:text, or \
        the number of matching lines per file. The most recently changed files come first, so \
        head_limit omits the oldest. Paths are relative to the workspace. Skips .git, files that \
        .gitignore excludes (unless path names their directory), binary files, files over 10 MB \
        and symbolic links.\
        """,
        ParameterSchema.object()
            .string("pattern", "The regular expression. It may match anywhere in a line.")
            .required()
            .text("path", "The file or directory to search. Default: the workspace.")
            .maxLength(ParameterSchema.MAX_CHARS)
            .string(
                "glob",
                "Search only files that match this pattern, as in glob: *.java, or src/**/*.{ts,tsx}. Exclude files with !*.min.js.")
            .enumeration(
                "output_mode",
                "files_with_matches (default): paths only. content: matching lines. count: the"
                    + " number of matching lines per file.",
                List.of(CONTENT, FILES, COUNT))
            .bool("case_insensitive", "Ignore case. Default: false.")
            .integer("context", "Lines of context around each match, for content.", 0, MAX_CONTEXT)
            .integer(
                "head_limit",
                "The maximum number of lines of the result. Default: 250.",
                1,
                MAX_LIMIT)
            .build());
  }

  @Override
  public ToolLoad load() {
    return ToolLoad.SEARCH;
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var start = workspace.findExisting(path(arguments));
    Predicate<String> included =
        arguments.has("glob")
            ? GlobPattern.of("glob", arguments.path("glob").asText(), workspace, start)::matches
            : _ -> true;
    return new GrepSearch(workspace, query(arguments, included)).search(start);
  }

  private static GrepSearch.Query query(ObjectNode arguments, Predicate<String> included) {
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
    return new GrepSearch.Query(match, included, report, new RecentMatches(limit, separator));
  }
}
