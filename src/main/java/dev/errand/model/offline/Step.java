package dev.errand.model.offline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What the planner does next: says something, and perhaps calls tools. */
record Step(String text, List<Call> calls) {

  /** One tool call; gets its id from the planner. */
  record Call(String tool, ObjectNode arguments) {}

  Step {
    calls = List.copyOf(calls);
  }

  static Step says(String text) {
    return new Step(text, List.of());
  }
}
