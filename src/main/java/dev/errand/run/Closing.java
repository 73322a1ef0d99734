package dev.errand.run;

import dev.errand.context.Conversation;
import dev.errand.conversation.Message;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a turn has to be the last one of a run.
 *
 * @param why the beginning of the sentence that tells the agent
 * @param early whether the agent has not ended its work by itself
 */
record Closing(String why, boolean early) {

  private static final String CLOSING =
      """
      %s and cannot call tools any more. Answer now with what you found so far, and say what is missing.\
      """;

  /**
   * Returns whether the next turn has to be the last one, and why; null when it has not.
   *
   * @param turnsLeft 0 in the turn after the last one; less when that turn was without an answer
   */
  static @Nullable Closing of(Conversation conversation, int turnsLeft) {
    var silent = conversation.nothingToAnswer();
    if (silent ? turnsLeft < 0 : turnsLeft <= 0) {
      return new Closing("You have used all your turns", true);
    }
    if (conversation.repeatsItself()) {
      return new Closing("You only repeat the same call", true);
    }
    return silent ? new Closing("You have ended your work without an answer", false) : null;
  }

  /** Returns the words by which the agent is told; they are not stored. */
  Message message() {
    return Message.notice(CLOSING.formatted(why));
  }
}
