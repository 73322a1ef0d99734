package dev.errand.tool.shell;

import java.time.Duration;

/** How a command ended. Whatever it had started is gone then. */
sealed interface ExitStatus {

  /** By itself; as with any shell, 128 and more is a signal. */
  record Exited(int code) implements ExitStatus {}

  record TimedOut(Duration after) implements ExitStatus {}

  /** It took more than its share; {@code limit} says of what. */
  record TookTooMuch(String limit) implements ExitStatus {}

  default boolean isSuccess() {
    return this instanceof Exited(int code) && code == 0;
  }

  /** The last line that the model reads. */
  default String sentence() {
    return switch (this) {
      case Exited(int code) -> "(exit code %d)".formatted(code);
      case TimedOut(Duration after) ->
          "(timed out after %d ms; killed)".formatted(after.toMillis());
      case TookTooMuch(String limit) -> "(%s; killed)".formatted(limit);
    };
  }
}
