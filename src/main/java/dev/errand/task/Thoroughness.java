package dev.errand.task;

import dev.errand.conversation.Word;
import dev.errand.tool.FieldProblem;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The depth to which the agent {@code explore} searches: its turns, and a line of its prompt. */
public enum Thoroughness implements Word {
  QUICK(6, "look only in the likeliest places, and answer with the first facts that suffice."),
  MEDIUM(15, "look in all likely places, and check what you found by reading it."),
  THOROUGH(
      30,
      "look in every place, also under other names and spellings, follow what you find to its"
          + " callers and its configuration, and say where you looked without success.");

  /** The only agent that takes it. */
  private static final String AGENT = "explore";

  private final int turns;
  private final String meaning;

  Thoroughness(int turns, String meaning) {
    this.turns = turns;
    this.meaning = meaning;
  }

  /** Returns why a call of this agent must not have it. */
  static Optional<FieldProblem> problem(TaskRequest request, String agent) {
    return request.thoroughness() == null || agent.equals(AGENT)
        ? Optional.empty()
        : Optional.of(
            new FieldProblem(
                "thoroughness",
                "only the agent %s takes it, not %s; leave it out, or give max_turns"
                    .formatted(AGENT, agent)));
  }

  /**
   * Returns the model calls before the agent must sum up.
   *
   * @param otherwise what is meant by a call that says nothing about it
   */
  static int turns(TaskRequest request, int otherwise) {
    if (request.maxTurns() != null) {
      return request.maxTurns();
    }
    return request.thoroughness() == null ? otherwise : request.thoroughness().turns;
  }

  /** Returns the prompt with the line of this thoroughness; null adds none. */
  static String in(String prompt, @Nullable Thoroughness asked) {
    return asked == null
        ? prompt
        : "%s\n\nThoroughness: %s; %s".formatted(prompt, asked.word(), asked.meaning);
  }
}
