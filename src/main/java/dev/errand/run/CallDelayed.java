package dev.errand.run;

import dev.errand.model.ModelException;
import dev.errand.run.LoopEnd.Delayed.WaitWord;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A model call has to wait for longer than a run may keep its worker. */
final class CallDelayed extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient LoopEnd.Delayed end;
  private final @Nullable ModelException away;

  /**
   * @param atLeast how long to wait
   * @param away why the model is away; null when its endpoint is only busy
   * @param tried whether the run made a call that failed
   */
  CallDelayed(Duration atLeast, @Nullable ModelException away, boolean tried) {
    super(away == null ? "the endpoint is busy" : Objects.toString(away.getMessage()), away);
    this.end =
        away == null
            ? new LoopEnd.Delayed(atLeast, WaitWord.MODEL_BUSY, null, tried)
            : new LoopEnd.Delayed(atLeast, WaitWord.MODEL_AWAY, LoopEnd.Failed.of(away), tried);
    this.away = away;
  }

  /** The node has no memory for the conversation, which a repeated call needs again. */
  CallDelayed() {
    super("the node has no memory for the conversation");
    this.end = LoopEnd.Delayed.forMemory();
    this.away = null;
  }

  /** The end of the run that was to make the call. */
  LoopEnd.Delayed end() {
    return end;
  }

  @Nullable ModelException away() {
    return away;
  }
}
