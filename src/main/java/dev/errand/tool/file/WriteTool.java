package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Makes a file, or replaces all of its content. */
@Singleton
public final class WriteTool extends FileTool {

  private final FileMemory memory;

  public WriteTool(FileRules rules, FileMemory memory) {
    super(rules);
    this.memory = memory;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "write",
        """
        Writes a text file (UTF-8, at most 5 MB): makes it, and the folders it needs, or replaces \
        its whole content. A file that exists must have been read before, and not have changed \
        since. To change a part of a file use edit.\
        """,
        ParameterSchema.object()
            .string("file_path", "The file: relative to the workspace, or absolute inside it.")
            .required()
            .text("content", "The whole new content; may be empty.")
            .required()
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  protected String path(ObjectNode arguments) {
    return arguments.path("file_path").asText();
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var content = arguments.path("content").asText().getBytes(StandardCharsets.UTF_8);
    var file = new ChangeablePlaces(workspace).find(path(arguments));
    return new FileReplacer(workspace, memory, context)
        .replace(
            file,
            before ->
                new FileReplacer.Rewritten(
                    content,
                    (before.isEmpty()
                            ? "Made %s (%d bytes)."
                            : "Replaced the content of %s (%d bytes).")
                        .formatted(file.shown(), content.length)));
  }
}
