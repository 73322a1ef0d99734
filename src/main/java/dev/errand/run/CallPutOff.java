package dev.errand.run;

import dev.errand.model.ModelException;
import dev.errand.run.LoopEnd.PutOff.Reason;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A model call has to wait for longer than a run may keep its worker. */
final class CallPutOff extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Duration atLeast;
  private final Reason reason;
  private final @Nullable ModelException away;
  private final boolean tried;

  /**
   * @param atLeast how long to wait
   * @param away why the model is away; null when its endpoint is only busy
   * @param tried whether the run made a call that failed
   */
  CallPutOff(Duration atLeast, @Nullable ModelException away, boolean tried) {
    super(away == null ? "the endpoint is busy" : Objects.toString(away.getMessage()), away);
    this.atLeast = atLeast;
    this.reason = away == null ? Reason.MODEL_BUSY : Reason.MODEL_AWAY;
    this.away = away;
    this.tried = tried;
  }

  /** The node has no memory for the conversation, which a repeated call needs again. */
  CallPutOff(Duration atLeast) {
    super("the node has no memory for the conversation");
    this.atLeast = atLeast;
    this.reason = Reason.NODE_BUSY;
    this.away = null;
    this.tried = false;
  }

  Duration atLeast() {
    return atLeast;
  }

  Reason reason() {
    return reason;
  }

  @Nullable ModelException away() {
    return away;
  }

  boolean tried() {
    return tried;
  }
}
