package dev.errand.api;

import dev.errand.api.http.Refusal;
import dev.errand.session.LimitWishes;
import dev.errand.tool.FieldProblem;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks the field {@code limits} of a new session: whole numbers, none below 0. */
final class LimitFields {

  private LimitFields() {}

  /**
   * @throws Refusal one is below 0
   */
  static LimitWishes checked(@Nullable LimitWishes limits) {
    var wishes = Objects.requireNonNullElse(limits, LimitWishes.NONE);
    var problems = new ArrayList<FieldProblem>();
    check("max_depth", wishes.maxDepth(), problems);
    check("max_delegations", wishes.maxDelegations(), problems);
    check("max_background_tasks", wishes.maxBackgroundTasks(), problems);
    check("max_tokens", wishes.maxTokens(), problems);
    if (!problems.isEmpty()) {
      throw Refusal.invalid(problems);
    }
    return wishes;
  }

  private static void check(String name, @Nullable Number value, ArrayList<FieldProblem> problems) {
    if (value != null && value.longValue() < 0) {
      problems.add(new FieldProblem("limits." + name, "must be 0 or more; 0 means none"));
    }
  }
}
