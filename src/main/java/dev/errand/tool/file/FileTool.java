package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A tool on the files of the session's workspace. */
public abstract class FileTool implements Tool {

  private final FileRules rules;

  protected FileTool(FileRules rules) {
    this.rules = rules;
  }

  /** The path that a call is about, as the model wrote it. */
  protected abstract String path(ObjectNode arguments);

  /** Does it; what the model reads. */
  protected abstract String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException;

  /**
   * The path relative to the workspace with all links resolved, so that a rule for {@code secret/*}
   * also holds for {@code ./secret/x} and for a link to it; {@code .} for the workspace itself.
   */
  @Override
  public String subject(ObjectNode arguments, ToolContext context) {
    try {
      return Workspace.at(context.workspace(), rules).find(path(arguments)).subject();
    } catch (PathRefused | IOException unusable) {
      return path(arguments); // the call will say what is wrong with it
    }
  }

  @Override
  public boolean computes() {
    return true;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    try {
      return ToolOutcome.ok(result(arguments, Workspace.at(context.workspace(), rules), context));
    } catch (IOException failed) {
      throw new ToolFailure(ShownPath.of(path(arguments)) + ": " + reason(failed));
    }
  }

  private static String reason(IOException failed) {
    return switch (failed) {
      case ClosedByInterruptException _ -> "the call was interrupted";
      case NoSuchFileException _ -> "no longer exists";
      case AccessDeniedException _ -> "the file system does not permit it";
      case FileSystemException known when known.getReason() != null -> known.getReason();
      default -> "input/output error";
    };
  }
}
