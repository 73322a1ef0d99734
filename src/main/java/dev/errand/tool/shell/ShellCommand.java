package dev.errand.tool.shell;

import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import java.util.Optional;

/**
 * A command that the service itself executes when a model sends it to {@code bash}. It is
 * recognised before a shell starts, and works without a shell. Implementations are CDI beans
 * without state, found by the {@link BashTool}.
 */
public interface ShellCommand {

  /** Returns whether this command handles the text that the model sent. Must be fast. */
  boolean handles(String command);

  /**
   * Returns what repeating the command would do, as in {@link Tool#effect()}.
   *
   * @param command a text that this command handles
   */
  default ToolEffect effect(String command) {
    return ToolEffect.SIDE_EFFECT;
  }

  /**
   * Returns the call of a tool that has the same effect as the command, as in {@link
   * Tool#equivalent}.
   *
   * @param command a text that this command handles
   */
  default Optional<Tool.Equivalent> equivalent(String command) {
    return Optional.empty();
  }

  /** Returns whether a session with these permissions can use the command. */
  default boolean isUsable(Permissions permissions) {
    return help(permissions).isPresent();
  }

  /**
   * Returns the help text for a session with these permissions; empty if it cannot use the command.
   */
  default Optional<String> help(Permissions permissions) {
    return Optional.empty();
  }

  /**
   * Executes the command, outside of transactions and on a thread that is never interrupted.
   * Exceptions become error results as in {@link Tool#call}.
   */
  ToolOutcome run(String command, ToolContext context);
}
