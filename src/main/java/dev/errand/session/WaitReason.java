package dev.errand.session;

import dev.errand.conversation.Word;

/**
 * The reason why a session waits without a worker and without a job. It waits for one reason at a
 * time.
 */
public enum WaitReason implements Word {
  /** The parent has the maximum number of background tasks. */
  LIMIT("Its parent runs as many background tasks as it may (max_background_tasks)."),
  /** All slots are taken. */
  SLOT("All runs that the nodes or its tenant may have at a time are taken."),
  /** The child session of the task works on another one: only a task waits so. */
  CHILD("The session that it continues works on another task."),
  /** The last attempt of its task failed. */
  RETRY("The last attempt failed, and the next one follows."),
  /** The model is away, or its endpoint takes no more calls now. */
  MODEL("Its model is away, or takes no more calls now."),
  /** The node has no memory for one more conversation. */
  MEMORY("The node has no memory for its conversation now."),
  /** An operator has paused it. */
  PAUSE("An operator has paused it."),
  /** The tenant has used up its day. */
  QUOTA(
      "Its tenant has used up its day. It continues at midnight UTC, or when the quota is raised."),
  /** It has said its last word, but tasks below it are live. */
  BELOW("It has answered, but tasks that it delegated in the background have not ended."),
  /** Its foreground tasks are open. */
  ANSWER("Tasks that it delegated in the foreground have not ended.");

  private final String sentence;

  WaitReason(String sentence) {
    this.sentence = sentence;
  }

  /** Returns the reason as a sentence for people. */
  public String sentence() {
    return sentence;
  }
}
