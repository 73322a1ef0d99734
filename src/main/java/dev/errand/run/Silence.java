package dev.errand.run;

import dev.errand.conversation.Message;
import dev.errand.session.StoredMessage;
import java.util.List;

/**
 * Judges an agent's last answer, which asks for no tools, by what its transcript contains of the
 * agent since a request. A takeover therefore changes no judgement.
 *
 * @param said the agent's messages since the request, oldest first
 */
record Silence(List<StoredMessage> said) {

  /** The tool with which an agent speaks to its user. */
  private static final String MESSAGE = "message";

  Silence {
    said = List.copyOf(said);
  }

  /** Returns whether the last answer has no words. */
  boolean isSilent() {
    return isSilent(said.size() - 1);
  }

  /**
   * Returns whether the agent was asked for its closing answer, and gave none: its last two answers
   * are silent, and nothing is between them.
   */
  boolean wasAsked() {
    var last = said.size() - 1;
    return isSilent(last)
        && isSilent(last - 1)
        && said.get(last).seq() == said.get(last - 1).seq() + 1;
  }

  /**
   * Returns whether the user has got an answer: the text at the end of a turn, or a message that
   * the agent sent in its last turn with calls.
   */
  boolean isAnswered() {
    return said.stream().anyMatch(Silence::isAnswer) || endsWithSentMessage();
  }

  /**
   * Returns all that the agent has said, also before tool calls; empty when it has said nothing.
   */
  String words() {
    return Message.words(said.stream().map(StoredMessage::message).toList());
  }

  private boolean isSilent(int at) {
    return at >= 0 && endsTurn(said.get(at)) && !said.get(at).message().hasWords();
  }

  private boolean endsWithSentMessage() {
    return said.reversed().stream()
        .filter(stored -> !endsTurn(stored))
        .findFirst()
        .filter(stored ->
            stored.message().toolCalls().stream().anyMatch(call -> call.name().equals(MESSAGE)))
        .isPresent();
  }

  private static boolean isAnswer(StoredMessage stored) {
    return endsTurn(stored) && stored.message().hasWords();
  }

  private static boolean endsTurn(StoredMessage stored) {
    return stored.message().toolCalls().isEmpty();
  }
}
