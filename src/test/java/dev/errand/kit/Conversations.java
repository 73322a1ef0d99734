package dev.errand.kit;

import java.util.ArrayList;
import java.util.List;

/** What every provider demands of a conversation. */
final class Conversations {

  private Conversations() {}

  /** Broken demands: begins with the user, each call is answered at once and once, in order. */
  static List<String> faults(List<Turn> turns) {
    var faults = new ArrayList<String>();
    if (turns.isEmpty() || !turns.getFirst().role().equals("user")) {
      faults.add("does not begin with the user: " + turns);
    }
    var open = new ArrayList<String>();
    for (var turn : turns) {
      for (var answer : turn.answers()) {
        if (!open.remove(answer)) {
          faults.add("answers " + answer + ", which is not open: " + turns);
        }
      }
      if (turn.answers().isEmpty() && !open.isEmpty()) {
        faults.add("goes on while " + open + " is open: " + turns);
      }
      open.addAll(turn.calls());
    }
    if (turns.getLast().role().equals("assistant")) {
      faults.add("ends with the assistant: " + turns);
    }
    if (!open.isEmpty()) {
      faults.add("ends while " + open + " is open: " + turns);
    }
    return faults;
  }
}
