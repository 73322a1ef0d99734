package dev.errand.run;

import dev.errand.model.ModelException;
import dev.errand.secret.Secrets;
import dev.errand.session.HeldSessions.Hold;
import dev.errand.task.TaskOutcome.StopReason;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Why the loop stopped. */
public sealed interface LoopEnd {

  /**
   * The agent gave its final answer.
   *
   * @param reason why it is the final one
   * @param committed whether the end of the run was committed together with the answer
   */
  record Finished(String text, StopReason reason, boolean committed) implements LoopEnd {}

  /** The session waits for foreground tasks. */
  record Waiting() implements LoopEnd {}

  /**
   * The model cannot be called now: the session waits without a worker.
   *
   * @param atLeast how long
   * @param away why the model is away; null when its endpoint is only busy
   * @param tried whether this run made a call that failed
   */
  record PutOff(Duration atLeast, @Nullable Failed away, boolean tried) implements LoopEnd {

    static PutOff of(CallPutOff later) {
      var away = later.away();
      return new PutOff(later.atLeast(), away == null ? null : Failed.of(away), later.tried());
    }
  }

  /** The session is held: it waits without a worker. */
  record Held(Hold hold) implements LoopEnd {}

  /** Another worker may continue from the last saved turn. */
  record Interrupted() implements LoopEnd {}

  /**
   * The run failed.
   *
   * @param code a word for programs, for example {@code model_unauthorized}
   * @param message a sentence for people
   * @param mayPass whether a later attempt may succeed
   */
  record Failed(String code, String message, boolean mayPass) implements LoopEnd {

    public Failed {
      message = Secrets.masked(message);
    }

    /** A permanent failure. */
    public Failed(String code, String message) {
      this(code, message, false);
    }

    static Failed of(ModelException fault) {
      var reason = Objects.requireNonNullElse(fault.getMessage(), "the model gave no answer");
      return new Failed(fault.word(), reason, fault.mayPass());
    }
  }
}
