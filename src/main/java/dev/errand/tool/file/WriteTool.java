package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Creates a file, or replaces its whole content. */
@Singleton
public final class WriteTool extends FileTool {

  private final FileMemory memory;

  public WriteTool(FileRules rules, FileMemory memory) {
    super(rules, "file_path", ToolEffect.CHECKED);
    this.memory = memory;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "write",
        "Write file",
        """
        Writes a text file (UTF-8, at most 5 MB): creates it, with missing directories, or replaces \
        its whole content. An existing file must have been read in this session and not have \
        changed since. To change a part of a file, use edit.\
        """,
        ParameterSchema.object()
            .string(
                "file_path",
                "The file, as a path relative to the workspace or an absolute path inside it.")
            .required()
            .text("content", "The complete new content; may be empty.")
            .required()
            .build());
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var content = arguments.path("content").asText().getBytes(StandardCharsets.UTF_8);
    var file = new WritablePaths(workspace).find(path(arguments));
    return new FileReplacer(workspace, memory, context)
        .replace(
            file,
            before ->
                new FileReplacer.Rewritten(
                    content,
                    (before.isEmpty()
                            ? "Created %s (%d bytes)."
                            : "Replaced the content of %s (%d bytes).")
                        .formatted(file.shown(), content.length)));
  }
}
