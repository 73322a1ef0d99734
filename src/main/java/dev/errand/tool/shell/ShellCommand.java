package dev.errand.tool.shell;

import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import java.util.Optional;

/**
 * A command that this service does itself when a model gives it to {@code bash}: it is recognised
 * before any shell starts, and also where there is none. Implementations are CDI beans and are
 * found by the {@link BashTool}; they hold no state of a call.
 */
public interface ShellCommand {

  /** Whether this is its command: the whole text that the model gave. Must be quick. */
  boolean handles(String command);

  /**
   * What doing it twice would mean, as with {@link dev.errand.tool.Tool#effect()}.
   *
   * @param command one that it handles
   */
  default ToolEffect effect(String command) {
    return ToolEffect.SIDE_EFFECT;
  }

  /**
   * What a caller with these permissions is told of such commands; empty when they are of no use to
   * it.
   */
  default Optional<String> help(Permissions permissions) {
    return Optional.empty();
  }

  /**
   * Does it, on a thread that nobody interrupts, outside any transaction. Exceptions become error
   * results as with {@link dev.errand.tool.Tool#call}.
   */
  ToolOutcome run(String command, ToolContext context);
}
