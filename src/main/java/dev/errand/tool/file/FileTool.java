package dev.errand.tool.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.Tool;
import dev.errand.tool.Tool.ToolLoad;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A tool that works on the files of the workspace. */
public abstract class FileTool implements Tool {

  private static final int MAX_QUOTED_CHARS = 200;

  private final FileRules rules;
  private final String pathParameter;
  private final ToolEffect effect;

  /**
   * @param pathParameter the parameter that contains the path
   */
  protected FileTool(FileRules rules, String pathParameter, ToolEffect effect) {
    this.rules = rules;
    this.pathParameter = pathParameter;
    this.effect = effect;
  }

  /** Runs the call and returns the result for the model. */
  protected abstract String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException;

  /** Returns the path of a call as the model wrote it. */
  protected final String path(ObjectNode arguments) {
    return arguments.path(pathParameter).asText();
  }

  @Override
  public ToolEffect effect() {
    return effect;
  }

  /**
   * Returns the path relative to the workspace with all links resolved, so that a rule for {@code
   * secret/*} also applies to {@code ./secret/x} and to a link to it; {@code .} for the workspace.
   */
  @Override
  public String subject(ObjectNode arguments, ToolContext context) {
    try {
      return subject(arguments, Workspace.at(context.workspace(), rules));
    } catch (IOException unusable) {
      return path(arguments); // the call reports the error
    }
  }

  private String subject(ObjectNode arguments, Workspace workspace) {
    try {
      return workspace.find(path(arguments)).subject();
    } catch (PathRefused | IOException unusable) {
      return path(arguments);
    }
  }

  /** A rule for a directory applies to what is below it. */
  @Override
  public boolean checksSubject() {
    return true;
  }

  @Override
  public ToolLoad load() {
    return ToolLoad.FILES;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var name = definition().name();
    var permissions = context.permissions();
    try {
      var workspace =
          Workspace.at(context.workspace(), rules, path -> permissions.allowInResult(name, path));
      var subject = subject(arguments, workspace);
      var denial = permissions.denialOfPath(name, subject);
      if (denial.isPresent()) {
        throw new ToolFailure(
            "Permission denied: this session may not use %s on %s: %s."
                .formatted(
                    name,
                    TextCut.withEllipsis(ShownPath.of(subject), MAX_QUOTED_CHARS),
                    denial.get().reason()));
      }
      return ToolOutcome.ok(result(arguments, workspace, context));
    } catch (IOException failed) {
      throw new ToolFailure(ShownPath.of(path(arguments)) + ": " + reason(failed));
    }
  }

  private static String reason(IOException failed) {
    return switch (failed) {
      case ClosedByInterruptException _ -> "the call was interrupted";
      case NoSuchFileException _ -> "no longer exists";
      case AccessDeniedException _ -> "permission denied by the file system";
      case FileSystemException known when known.getReason() != null -> known.getReason();
      default -> "input/output error";
    };
  }
}
