package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import jakarta.inject.Singleton;
import java.io.IOException;

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
        Writes a text file (at most 5 MB): creates it in UTF-8, with missing directories, or \
        replaces its whole content. An existing file keeps its encoding, byte order mark and line \
        ends, and must have been read in this session and not have changed since. To change a part \
        of a file, use edit.\
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
    var text = arguments.path("content").asText();
    var file = new WritablePaths(workspace).find(path(arguments));
    return new FileReplacer(workspace, memory, context)
        .replace(
            file,
            before ->
                before.isEmpty()
                    ? created(file, text)
                    : new StoredText(file, before.get()).replaced(text));
  }

  private static FileReplacer.Rewritten created(WorkspacePath file, String text) {
    var content = StoredText.ofNewFile(file, text);
    return new FileReplacer.Rewritten(
        content, "Created %s (%d bytes).".formatted(file.shown(), content.length));
  }
}
