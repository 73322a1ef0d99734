package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import jakarta.inject.Singleton;
import java.io.IOException;

/** Makes a file, or replaces all of its content. */
@Singleton
final class WriteTool extends FileTool {

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "write",
        """
        Writes a text file (UTF-8, at most 5 MB): makes it, and the folders it needs, or replaces \
        its whole content. To change a part of a file use edit.\
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
  String path(ObjectNode arguments) {
    return arguments.path("file_path").asText();
  }

  @Override
  String result(ObjectNode arguments, Workspace workspace) throws IOException {
    var replacer = new FileReplacer(workspace);
    var file = replacer.find(path(arguments));
    var bytes = replacer.replace(file, arguments.path("content").asText());
    return file.kind() == Place.Kind.MISSING
        ? "Made %s (%d bytes).".formatted(file.shown(), bytes)
        : "Replaced the content of %s (%d bytes).".formatted(file.shown(), bytes);
  }
}
