package dev.errand.run;

import dev.errand.model.ModelException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A model call has to wait for longer than a run may keep its worker. */
final class CallPutOff extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Duration atLeast;
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
    this.away = away;
    this.tried = tried;
  }

  Duration atLeast() {
    return atLeast;
  }

  @Nullable ModelException away() {
    return away;
  }

  boolean tried() {
    return tried;
  }
}
