package dev.errand.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.Task;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reply to a call. */
sealed interface Reply {

  /**
   * The call is answered at once.
   *
   * @param read the ended task whose result the answer contains
   */
  record Result(ObjectNode result, Optional<Task> read) implements Reply {

    static Result of(ObjectNode result) {
      return new Result(result, Optional.empty());
    }
  }

  /**
   * The call is answered on a stream that stays open until the task has ended.
   *
   * @param limit the time after which the answer is that the task still runs; null means never
   * @param made that this call has made the task; null when it waits for a task of another call
   */
  record OnStream(Task task, @Nullable Duration limit, @Nullable MadeTask made) implements Reply {}

  /**
   * A task that a call has made.
   *
   * @param key with which the call can be repeated; null without one
   */
  record MadeTask(@Nullable IdempotencyKey key) {}
}
