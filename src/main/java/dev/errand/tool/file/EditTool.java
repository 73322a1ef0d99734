package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Replaces a piece of a text file. */
@Singleton
public final class EditTool extends FileTool {

  private final FileMemory memory;

  public EditTool(FileRules rules, FileMemory memory) {
    super(rules);
    this.memory = memory;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "edit",
        """
        Replaces text in a file: old_string, exactly as it is in the file with all its white space \
        but without the line numbers that read shows, by new_string. old_string must be there only \
        once, so give enough of the lines around it; or set replace_all to replace it \
        everywhere. The file must have been read before, and not have changed since.\
        """,
        ParameterSchema.object()
            .string("file_path", "The file: relative to the workspace, or absolute inside it.")
            .required()
            .nonEmptyText("old_string", "The text to replace.")
            .required()
            .text("new_string", "The text to put there; empty to delete.")
            .required()
            .bool("replace_all", "Replace every occurrence; false if absent.")
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
    var edit =
        new TextEdit(
            arguments.path("old_string").asText(),
            arguments.path("new_string").asText(),
            arguments.path("replace_all").asBoolean());
    var file = new ChangeablePlaces(workspace).find(path(arguments));
    return new FileReplacer(workspace, memory, context)
        .replace(file, before -> rewritten(file, edit, before));
  }

  private static FileReplacer.Rewritten rewritten(
      WorkspacePath file, TextEdit edit, Optional<byte[]> before) {
    var content = before.orElseThrow(() -> missing(file));
    if (content.length > FileReplacer.MAX_BYTES) {
      throw new PathRefused(file.subject(), "is too large to edit: it has more than 5 MB");
    }
    var edited = edit.applyTo(text(file, content));
    return new FileReplacer.Rewritten(
        edited.text().getBytes(StandardCharsets.UTF_8),
        edited.count() == 1
            ? "Edited %s.".formatted(file.shown())
            : "Edited %s in %d places.".formatted(file.shown(), edited.count()));
  }

  private static PathRefused missing(WorkspacePath file) {
    return new PathRefused(file.subject(), "does not exist; use write to make it");
  }

  /** Refuses what is no UTF-8: writing it back would damage the rest of the file. */
  private static String text(WorkspacePath file, byte[] content) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException notUtf8) {
      throw new PathRefused(file.subject(), "is not UTF-8 text and cannot be edited");
    }
  }
}
