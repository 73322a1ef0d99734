package dev.errand.kit;

import java.util.ArrayList;
import java.util.List;

/** What every provider demands of a conversation. */
final class Conversations {

  private Conversations() {}

  /**
   * Returns violations of the rules of providers: a conversation begins with the user, and each
   * tool call is answered exactly once, in the next messages.
   */
  static List<String> violations(List<Turn> turns) {
    var violations = new ArrayList<String>();
    if (turns.isEmpty() || !turns.getFirst().role().equals("user")) {
      violations.add("the first message is not from the user: " + turns);
    }
    var open = new ArrayList<String>();
    for (var turn : turns) {
      for (var answer : turn.answers()) {
        if (!open.remove(answer)) {
          violations.add("a message answers " + answer + ", which is not an open call: " + turns);
        }
      }
      if (turn.answers().isEmpty() && !open.isEmpty()) {
        violations.add("a message follows while " + open + " is open: " + turns);
      }
      open.addAll(turn.calls());
    }
    if (turns.getLast().role().equals("assistant")) {
      violations.add("the last message is from the assistant: " + turns);
    }
    if (!open.isEmpty()) {
      violations.add("the conversation ends while " + open + " is open: " + turns);
    }
    return violations;
  }
}
