package dev.errand.permission;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;

/**
 * What one session may do: layers of rules, all of which must allow. In a layer the last matching
 * rule wins, and what no rule names is allowed (P1). A child gets its parent's layers and more, so
 * it never has more than its parent (P2).
 */
public record Permissions(@JsonValue List<List<Rule>> layers) {

  /** Everything is allowed. */
  public static final Permissions ALL = new Permissions(List.of());

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public Permissions {
    layers = layers.stream().map(List::copyOf).toList();
  }

  /** These permissions, less what {@code layer} denies. */
  public Permissions narrowedBy(List<Rule> layer) {
    if (layer.isEmpty()) {
      return this;
    }
    var narrowed = new ArrayList<>(layers);
    narrowed.add(layer);
    return new Permissions(narrowed);
  }

  /** Whether a call of {@code permission} on {@code subject} is allowed. */
  public boolean allow(String permission, String subject) {
    return allow(List.of(permission), subject);
  }

  /**
   * The same for something that goes by several names: a rule that matches one of them matches it.
   */
  public boolean allow(List<String> names, String subject) {
    return layers.stream().allMatch(layer -> layerAllows(layer, names, subject));
  }

  /**
   * Whether some call of {@code permission} may be allowed: false only when every call of it would
   * be refused.
   */
  public boolean mayEverAllow(String permission) {
    return mayEverAllow(List.of(permission));
  }

  /** The same for something that goes by several names. */
  public boolean mayEverAllow(List<String> names) {
    return layers.stream().allMatch(layer -> layerMayAllow(layer, names));
  }

  /** Whether some rule allows calls of {@code permission} by that very name. */
  public boolean grant(String permission) {
    return layers.stream()
        .flatMap(List::stream)
        .anyMatch(
            rule -> rule.action() == Rule.Action.ALLOW && rule.permission().equals(permission));
  }

  private static boolean layerAllows(List<Rule> layer, List<String> names, String subject) {
    return layer.reversed().stream()
        .filter(rule -> names.stream().anyMatch(name -> rule.matches(name, subject)))
        .findFirst()
        .map(rule -> rule.action() == Rule.Action.ALLOW)
        .orElse(true);
  }

  private static boolean layerMayAllow(List<Rule> layer, List<String> names) {
    for (var rule : layer.reversed()) {
      if (names.stream().noneMatch(rule::namesPermission)) {
        continue;
      }
      if (rule.action() == Rule.Action.ALLOW) {
        return true;
      }
      if (rule.pattern().equals("*")) {
        return false;
      }
    }
    return true;
  }
}
