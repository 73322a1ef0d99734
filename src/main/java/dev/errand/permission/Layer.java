package dev.errand.permission;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rules with one origin. The last matching rule wins, and what no rule matches is allowed.
 *
 * @param from where the rules come from
 */
public record Layer(From from, List<Rule> rules) {

  /** The origin of a layer, as seen from the session that has it. */
  public enum From {
    /** Every layer of the session that delegated. Also any origin unknown to this version. */
    @JsonEnumDefaultValue
    @JsonProperty("parent")
    PARENT("the permissions of its parent session"),
    /** The definition of the agent, with the limits of subagents. */
    @JsonProperty("agent")
    AGENT("the definition of its agent"),
    /** The call that created the session. */
    @JsonProperty("request")
    REQUEST("the permissions that it was created with");

    private final String words;

    From(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  public Layer {
    rules = List.copyOf(rules);
  }

  /** Returns the rule that denies a call; empty if the call is allowed. */
  Optional<Rule> denial(List<String> names, String subject) {
    return denies(
        rules.reversed().stream()
            .filter(rule -> names.stream().anyMatch(name -> rule.matches(name, subject)))
            .findFirst());
  }

  /**
   * Returns the rule that denies a path; a rule that denies a directory denies everything below it.
   */
  Optional<Rule> denialOfPath(String permission, String path) {
    return denies(
        rules.reversed().stream().filter(rule -> rule.matchesPath(permission, path)).findFirst());
  }

  private static Optional<Rule> denies(Optional<Rule> last) {
    return last.filter(rule -> rule.action() == Rule.Action.DENY);
  }

  /** Returns the rule that denies every call; empty if some call may be allowed. */
  Optional<Rule> denialOfAll(List<String> names) {
    var denied = new ArrayList<Wildcard>();
    for (var rule : rules.reversed()) {
      if (names.stream().noneMatch(rule::namesPermission)) {
        continue;
      }
      // A pattern that matches the text of another one matches whatever the other one does.
      if (rule.action() == Rule.Action.DENY) {
        denied.add(new Wildcard(rule.pattern()));
        if (denied.getLast().matches("*")) {
          return Optional.of(rule);
        }
      } else if (denied.stream().noneMatch(pattern -> pattern.matches(rule.pattern()))) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Returns whether no call is denied, whatever its subject. */
  boolean allowsAll(List<String> names) {
    return rules.reversed().stream()
        .filter(rule -> names.stream().anyMatch(rule::namesPermission))
        .filter(rule -> rule.action() == Rule.Action.DENY || rule.pattern().equals("*"))
        .findFirst()
        .map(rule -> rule.action() == Rule.Action.ALLOW)
        .orElse(true);
  }
}
