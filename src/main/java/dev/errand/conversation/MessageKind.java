package dev.errand.conversation;

/**
 * The kind of a message: a normal message, a notice that a task ended, a command, or a summary of
 * older messages.
 */
public enum MessageKind implements Word {
  MESSAGE,
  NOTICE,
  COMMAND,
  SUMMARY;

  /** Returns the kind with this word. A kind that only a newer version knows counts as a notice. */
  public static MessageKind of(String word) {
    return Word.find(MessageKind.class, word).orElse(NOTICE);
  }
}
