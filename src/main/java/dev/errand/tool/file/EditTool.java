package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.file.WorkspacePathResolver.PathRefused;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
        occurrence. The file must have been read in this session and not have changed since.\
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
    var edited = edit.applyTo(text(file, content));
    return new FileReplacer.Rewritten(
        edited.text().getBytes(StandardCharsets.UTF_8),
        edited.count() == 1
            ? "Edited %s.".formatted(file.shown())
            : "Edited %s in %d places.".formatted(file.shown(), edited.count()));
  }

  private static PathRefused missing(WorkspacePath file) {
    return new PathRefused(file.subject(), "does not exist; use write to create it");
  }

  /** Refuses other encodings than UTF-8: writing them back would damage the file. */
  private static String text(WorkspacePath file, byte[] content) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException notUtf8) {
      throw new PathRefused(file.subject(), "is not UTF-8 text and cannot be edited");
    }
  }
}
