package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Optional;

/** Replaces text in a file. */
@Singleton
public final class EditTool extends FileTool {

  private final FileMemory memory;

  public EditTool(FileRules rules, FileMemory memory) {
    super(rules, "file_path", ToolEffect.CHECKED);
    this.memory = memory;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "edit",
        "Edit file",
        """
        Replaces old_string in a text file with new_string. old_string must match the file exactly, \
        including white space, but without the line numbers that read shows. It must occur exactly \
        once, so include enough of the surrounding lines, or set replace_all to replace every \
        occurrence. The file must have been read in this session and not have changed since. It \
        keeps its encoding and line ends, which \\n stands for.\
        """,
        ParameterSchema.object()
            .string(
                "file_path",
                "The file, as a path relative to the workspace or an absolute path inside it.")
            .required()
            .nonEmptyText("old_string", "The text to replace.")
            .required()
            .text("new_string", "The new text; empty to delete old_string.")
            .required()
            .bool("replace_all", "Replace every occurrence. Default: false.")
            .build());
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var edit =
        new TextEdit(
            arguments.path("old_string").asText(),
            arguments.path("new_string").asText(),
            arguments.path("replace_all").asBoolean());
    var file = new WritablePaths(workspace).find(path(arguments));
    return new FileReplacer(workspace, memory, context)
        .replace(file, before -> rewritten(file, edit, before));
  }

  private static FileReplacer.Rewritten rewritten(
      WorkspacePath file, TextEdit edit, Optional<byte[]> before) {
    var content = before.orElseThrow(() -> missing(file));
    if (content.length > FileReplacer.MAX_BYTES) {
      throw new PathRefused(file.subject(), "is larger than 5 MB and cannot be edited");
    }
    return new StoredText(file, content).edited(edit);
  }

  private static PathRefused missing(WorkspacePath file) {
    return new PathRefused(file.subject(), "does not exist; use write to create it");
  }
}
