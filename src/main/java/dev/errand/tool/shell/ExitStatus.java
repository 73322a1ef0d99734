package dev.errand.tool.shell;

import java.time.Duration;

/** How a command ended. All processes that it started have ended, too. */
sealed interface ExitStatus {

  /** The command ended by itself; codes from 128 mean a signal, as in any shell. */
  record Exited(int code) implements ExitStatus {}

  record TimedOut(Duration after) implements ExitStatus {}

  /** The command exceeded a limit and was killed. */
  record ExceededLimit(String limit) implements ExitStatus {}

  default boolean isSuccess() {
    return this instanceof Exited(int code) && code == 0;
  }

  /** The last line of the result that the model reads. */
  default String sentence() {
    return switch (this) {
      case Exited(int code) -> "(exit code %d)".formatted(code);
      case TimedOut(Duration after) ->
          "(timed out after %d ms; killed)".formatted(after.toMillis());
      case ExceededLimit(String limit) -> "(%s; killed)".formatted(limit);
    };
  }
}
