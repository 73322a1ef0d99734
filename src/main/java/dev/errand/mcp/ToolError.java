package dev.errand.mcp;

import dev.errand.http.Refusal;
import java.util.stream.Collectors;

/** A call that cannot be made: its result is an error, from which a model learns the remedy. */
final class ToolError extends RuntimeException {

  private static final long serialVersionUID = 1;

  ToolError(String text) {
    super(text);
  }

  static ToolError of(Refusal refusal) {
    var problems =
        refusal.errors().stream()
            .map(problem -> problem.field() + ": " + problem.message())
            .collect(Collectors.joining("; "));
    return new ToolError(problems.isEmpty() ? String.valueOf(refusal.getMessage()) : problems);
  }

  /** What the model reads. */
  String text() {
    return String.valueOf(getMessage());
  }
}
