package dev.errand.task;

import dev.errand.outbox.Callback.TaskCallback;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The caller that delegates. */
public sealed interface TaskCaller {

  /**
   * A tool call of the parent.
   *
   * @param epoch of the run, which must still own the parent when the task is committed
   */
  record ParentCall(String key, long epoch) implements TaskCaller {}

  /**
   * A request of a client.
   *
   * @param key makes a repetition return the first task; null when the client gave none
   * @param waitsFor how long the client waits for the result of a foreground task
   * @param callback the callback of the task itself, in addition to that of its parent
   */
  record Client(@Nullable IdempotencyKey key, Duration waitsFor, @Nullable TaskCallback callback)
      implements TaskCaller {}
}
