package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.OutputCap;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.FileMemory.ContentHash;
import jakarta.inject.Singleton;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Returns lines of a text file. */
@Singleton
public final class ReadTool extends FileTool {

  private static final int DEFAULT_LINES = 2_000;
  private static final int MAX_LINE_CHARS = 2_000;

  private final FileMemory memory;

  public ReadTool(FileRules rules, FileMemory memory) {
    super(rules, "file_path", ToolEffect.PURE);
    this.memory = memory;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "read",
        "Read file",
        """
        Returns the lines of a text file. Each line starts with its number and a tab, which are not \
        part of the file. Without offset and limit, returns the first 2000 lines. A result ends \
        after about 50 kB and then states the offset to continue with. Lines longer than 2000 \
        characters are cut. For a binary file, returns only its kind and size. For directories, \
        use list.\
        """,
        ParameterSchema.object()
            .string(
                "file_path",
                "The file, as a path relative to the workspace or an absolute path inside it.")
            .required()
            .integer("offset", "The number of the first line, starting at 1.", 1, Integer.MAX_VALUE)
            .integer("limit", "The number of lines. Default: 2000.", 1, Integer.MAX_VALUE)
            .build());
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var path = workspace.findFile(path(arguments));
    var first = arguments.path("offset").asInt(1);
    var limit = arguments.path("limit").asInt(DEFAULT_LINES);
    try (var file = workspace.openFile(path)) {
      if (file.size() > FileReplacer.MAX_OLD_BYTES) {
        return file.isBinary()
            ? described(path, file)
            : lines(path, file.lines(MAX_LINE_CHARS + 1), first, limit);
      }
      var content = file.bytes(FileReplacer.MAX_OLD_BYTES);
      var shown = file.isBinary() ? described(path, file) : text(path, content, first, limit);
      memory.saw(context, path.subject(), ContentHash.of(content));
      return shown;
    }
  }

  private static String described(WorkspacePath path, TextFile file) throws IOException {
    return "%s is a binary file (%s, %d bytes); its content is not shown."
        .formatted(path.shown(), file.binaryKind().description(), file.size());
  }

  private static String text(WorkspacePath path, byte[] content, int first, int limit)
      throws IOException {
    var encoding = TextEncoding.of(content, true);
    var bytes = new ByteArrayInputStream(content);
    return lines(path, new TextLines(bytes, encoding, MAX_LINE_CHARS + 1), first, limit)
        + encoding.remark();
  }

  private static String lines(WorkspacePath path, TextLines lines, int first, int limit)
      throws IOException {
    var shown = new OutputCap(limit);
    var number = 0;
    for (var line = lines.next(); line != null; line = lines.next()) {
      number++;
      if (number >= first && !shown.add("%6d\t%s".formatted(number, line.shown(MAX_LINE_CHARS)))) {
        return shown.text() + continuation(first, shown.lines());
      }
    }
    if (number == 0) {
      return "(%s is empty)".formatted(path.shown());
    }
    if (number < first) {
      throw new ToolFailure(
          "offset: %s has only %d lines, so there is no line %d"
              .formatted(path.shown(), number, first));
    }
    return shown.text();
  }

  private static String continuation(int first, int count) {
    var next = first + count;
    return "\n(Lines %d to %d are shown, and more follow: continue with offset %d.)"
        .formatted(first, next - 1, next);
  }
}
