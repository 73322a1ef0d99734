package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Why a session waits without a worker and without a job. It waits for one reason at a time. */
public enum WaitReason {
  /** The parent has the maximum number of background tasks. */
  LIMIT("its parent runs as many background tasks as it may (max_background_tasks)"),
  /** All slots are taken. */
  SLOT("all runs that the nodes or its tenant may have at a time are taken"),
  /** The child session of the task works on another one: only a task waits so. */
  CHILD("the session that it continues works on another task"),
  /** The last attempt of its task failed. */
  RETRY("the last attempt failed, and the next one follows"),
  /** The model is away, or its endpoint takes no more calls now. */
  MODEL("its model cannot be called now"),
  /** The node has no memory for one more conversation. */
  MEMORY("the node has no memory for its conversation now"),
  /** An operator has paused it. */
  PAUSE("an operator has paused it"),
  /** The tenant has used up its day. */
  QUOTA(
      "its tenant has used up its day; it continues at midnight UTC, or when the quota is raised"),
  /** It has said its last word, but tasks below it are live. */
  BELOW("it has answered, and waits for the tasks that it delegated in the background"),
  /** Its foreground tasks are open. */
  ANSWER("it waits for the answers of the tasks that it delegated in the foreground");

  private final String sentence;

  WaitReason(String sentence) {
    this.sentence = sentence;
  }

  /** A word for programs, as the database and the API have it. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty for a word that this version does not know. */
  public static Optional<WaitReason> find(String word) {
    return Stream.of(values()).filter(reason -> reason.word().equals(word)).findFirst();
  }

  /** The end of a sentence for people. */
  public String sentence() {
    return sentence;
  }

  /** Whether the time-outs of its task, and of the tasks above that wait for it, do not run. */
  public boolean stopsClock() {
    return this == PAUSE || this == QUOTA;
  }
}
