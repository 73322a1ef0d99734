package dev.errand.permission;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;

/**
 * The permissions of a session: layers of rules, all of which must allow a call. In a layer the
 * last matching rule wins, and what no rule matches is allowed. A child gets the layers of its
 * parent and further ones, so it never has more permissions than its parent.
 */
public record Permissions(@JsonValue List<List<Rule>> layers) {

  /** Everything is allowed. */
  public static final Permissions ALL = new Permissions(List.of());

  private static final String READ = "read";

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public Permissions {
    layers = layers.stream().map(List::copyOf).toList();
  }

  /** Returns these permissions without what {@code layer} denies. */
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

  /** The same for a tool with several names: a rule that matches one of them applies. */
  public boolean allow(List<String> names, String subject) {
    return layers.stream().allMatch(layer -> layerAllows(layer, names, subject));
  }

  /**
   * Whether a call of a file tool on this path is allowed. A rule that denies a directory denies
   * everything below it.
   */
  public boolean allowPath(String permission, String path) {
    return layers.stream().allMatch(layer -> layerAllowsPath(layer, permission, path));
  }

  /**
   * Whether the result of a file tool may show this path, however the call reached it. A layer that
   * allows reading also has to allow reading this path; one that denies all reading has no say,
   * because it may allow searches instead.
   */
  public boolean allowInResult(String permission, String path) {
    return layers.stream()
        .allMatch(layer ->
            layerAllowsPath(layer, permission, path)
                && (!layerMayAllow(layer, List.of(READ)) || layerAllowsPath(layer, READ, path)));
  }

  /**
   * Whether a call of {@code permission} may be allowed: false only if every call would be denied.
   */
  public boolean mayEverAllow(String permission) {
    return mayEverAllow(List.of(permission));
  }

  /** The same for a tool with several names. */
  public boolean mayEverAllow(List<String> names) {
    return layers.stream().allMatch(layer -> layerMayAllow(layer, names));
  }

  /** Whether a rule allows {@code permission} by its exact name. */
  public boolean grant(String permission) {
    return layers.stream()
        .flatMap(List::stream)
        .anyMatch(rule ->
            rule.action() == Rule.Action.ALLOW && rule.permission().equalsIgnoreCase(permission));
  }

  private static boolean layerAllows(List<Rule> layer, List<String> names, String subject) {
    return layer.reversed().stream()
        .filter(rule -> names.stream().anyMatch(name -> rule.matches(name, subject)))
        .findFirst()
        .map(rule -> rule.action() == Rule.Action.ALLOW)
        .orElse(true);
  }

  private static boolean layerAllowsPath(List<Rule> layer, String permission, String path) {
    return layer.reversed().stream()
        .filter(rule -> rule.matchesPath(permission, path))
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
