package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.OutputCap;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
import dev.errand.tool.ToolFailure;
import jakarta.inject.Singleton;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Shows lines of a text file. */
@Singleton
public final class ReadTool extends FileTool {

  private final FileMemory memory;

  public ReadTool(FileRules rules, FileMemory memory) {
    super(rules);
    this.memory = memory;
  }

  private static final int DEFAULT_LINES = 2_000;
  private static final int MAX_LINE_CHARS = 2_000;

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "read",
        """
        Shows the lines of a text file, each with its number and a tab before it; neither belongs \
        to the file. Without offset and limit it shows the first 2000 lines. A result ends after \
        about 50 kB, and lines of more than 2000 characters are cut; it says so, and where to go \
        on. Of a binary file it tells only kind and size, of an image its pixels too. For folders \
        use list.\
        """,
        ParameterSchema.object()
            .string("file_path", "The file: relative to the workspace, or absolute inside it.")
            .required()
            .integer("offset", "The first line to show, counted from 1.", 1, Integer.MAX_VALUE)
            .integer("limit", "How many lines to show; 2000 if absent.", 1, Integer.MAX_VALUE)
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  protected String path(ObjectNode arguments) {
    return arguments.path("file_path").asText();
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var place = workspace.findFile(path(arguments));
    var first = arguments.path("offset").asInt(1);
    var limit = arguments.path("limit").asInt(DEFAULT_LINES);
    try (var file = workspace.openFile(place)) {
      if (file.size() > FileReplacer.MAX_OLD_BYTES) {
        return file.isBinary()
            ? described(place, file, new byte[0])
            : lines(place, file.lines(MAX_LINE_CHARS + 1), first, limit);
      }
      var content = file.bytes(FileReplacer.MAX_OLD_BYTES);
      var shown =
          file.isBinary() ? described(place, file, content) : text(place, content, first, limit);
      memory.saw(context, place.subject(), ContentHash.of(content));
      return shown;
    }
  }

  private static String described(WorkspacePath place, TextFile file, byte[] content)
      throws IOException {
    var kind = file.binaryKind();
    var pixels =
        ImageSize.of(kind, content)
            .map(size -> ", %d × %d pixels".formatted(size.width(), size.height()));
    return "%s is a binary file (%s%s, %d bytes); its content is not shown."
        .formatted(place.shown(), kind.description(), pixels.orElse(""), file.size());
  }

  private static String text(WorkspacePath place, byte[] content, int first, int limit)
      throws IOException {
    var encoding = TextEncoding.of(content, true);
    var bytes = new ByteArrayInputStream(content);
    return lines(place, new TextLines(bytes, encoding, MAX_LINE_CHARS + 1), first, limit)
        + encoding.remark();
  }

  private static String lines(WorkspacePath place, TextLines lines, int first, int limit)
      throws IOException {
    var shown = new OutputCap(limit);
    var number = 0;
    for (var line = lines.next(); line != null; line = lines.next()) {
      number++;
      if (number >= first && !shown.add("%6d\t%s".formatted(number, line.shown(MAX_LINE_CHARS)))) {
        return shown.text() + goOn(first, shown.lines());
      }
    }
    if (number == 0) {
      return "(%s is empty)".formatted(place.shown());
    }
    if (number < first) {
      throw new ToolFailure(
          "offset: %s has only %d lines, so there is no line %d"
              .formatted(place.shown(), number, first));
    }
    return shown.text();
  }

  private static String goOn(int first, int count) {
    var next = first + count;
    return "\n(Lines %d to %d are shown, and there are more: go on with offset %d.)"
        .formatted(first, next - 1, next);
  }
}
