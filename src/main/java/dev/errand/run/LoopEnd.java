package dev.errand.run;

import dev.errand.conversation.Word;
import dev.errand.model.ModelException;
import dev.errand.secret.Secrets;
import dev.errand.session.Suspension;
import dev.errand.session.WaitReason;
import dev.errand.task.StopReason;
import dev.errand.task.TaskOutcome;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reason why the loop stopped. */
public sealed interface LoopEnd {

  /**
   * The agent gave its final answer.
   *
   * @param text the answer; without one, what the agent had said before
   * @param reason why it is the final one
   * @param committed whether the end of the run was committed together with the answer
   */
  record Finished(String text, StopReason reason, boolean committed) implements LoopEnd {}

  /** The agent has ended without words, and waits for the tasks below it. */
  record Expecting() implements LoopEnd {}

  /** The session waits for foreground tasks. */
  record Waiting() implements LoopEnd {}

  /**
   * The model cannot be called now, or the node has no memory for the conversation: the session
   * waits without a worker.
   *
   * @param atLeast how long
   * @param away the fault of a model that is away; null for another reason
   * @param tried whether this run made a call that failed
   */
  record Delayed(Duration atLeast, WaitWord reason, @Nullable Failed away, boolean tried)
      implements LoopEnd {

    /** The reason why a session waits, as events and failed calls name it. */
    enum WaitWord implements Word {
      MODEL_AWAY(WaitReason.MODEL),
      MODEL_BUSY(WaitReason.MODEL),
      NODE_BUSY(WaitReason.MEMORY);

      private final WaitReason waitsFor;

      WaitWord(WaitReason waitsFor) {
        this.waitsFor = waitsFor;
      }

      WaitReason waitsFor() {
        return waitsFor;
      }
    }

    /** How long a session waits for memory before it is looked at again. */
    private static final Duration FOR_MEMORY = Duration.ofSeconds(1);

    /** The node has no memory for the run. */
    static Delayed forMemory() {
      return untried(FOR_MEMORY, WaitWord.NODE_BUSY);
    }

    /** Returns the end of a run that has made no call. */
    static Delayed untried(Duration atLeast, WaitWord reason) {
      return new Delayed(atLeast, reason, null, false);
    }
  }

  /** The session is suspended: it waits without a worker. */
  record Suspended(Suspension by) implements LoopEnd {}

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

    /** A permanent failure. */
    Failed(FailureCode code, String message) {
      this(code, message, false);
    }

    Failed(FailureCode code, String message, boolean mayPass) {
      this(code.word(), message, mayPass);
    }

    static Failed unknownAgent(String name) {
      return new Failed(
          FailureCode.AGENT_UNKNOWN,
          "there is no agent '" + name + "' any more; its definition is gone");
    }

    /**
     * Returns the failure of a run whose conversation does not fit into the context window, also
     * when it is shortened.
     */
    static Failed tooLong(String model, ModelException fault) {
      return new Failed(
          fault.word(),
          "the conversation does not fit into the context window of %s, even without old messages: %s"
              .formatted(model, fault.getMessage()));
    }

    /** The session has lost its workers, as many as it may. */
    static Failed workersLost(int workers) {
      return new Failed(
          FailureCode.WORKER_LOST,
          "its worker died " + workers + " times in a row without finishing a turn");
    }

    /** Returns the failure, which no later attempt may follow. */
    Failed permanent() {
      return new Failed(code, message);
    }

    /** Returns the error as the task reports it. */
    TaskOutcome.Error error() {
      return new TaskOutcome.Error(code, message);
    }

    /** Returns the error as readers of the transcript see it. */
    String reason() {
      return "The run ended with an error (" + code + "): " + message;
    }

    static Failed of(ModelException fault) {
      var reason = Objects.requireNonNullElse(fault.getMessage(), "the model gave no answer");
      return new Failed(fault.word(), reason, fault.mayPass());
    }
  }
}
