package dev.errand.tool.shell;

import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;

/**
 * A command that this service does itself when a model gives it to {@code bash}: it is recognised
 * before any shell starts, and also where there is none. Implementations are CDI beans and are
 * found by the {@link BashTool}; they hold no state of a call.
 */
public interface ShellCommand {

  /** Whether this is its command: the whole text that the model gave. Must be quick. */
  boolean handles(String command);

  /**
   * Does it, on a thread that nobody interrupts, outside any transaction. Exceptions become error
   * results as with {@link dev.errand.tool.Tool#call}.
   */
  ToolOutcome run(String command, ToolContext context);
}
