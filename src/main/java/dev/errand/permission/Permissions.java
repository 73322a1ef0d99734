package dev.errand.permission;

import dev.errand.permission.Layer.From;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The permissions of a session: layers of rules, each evaluated on its own, all of which must allow
 * a call. A child gets the layers of its parent and further ones, so it never has more permissions
 * than its parent.
 */
public record Permissions(List<Layer> layers) {

  /** Everything is allowed. */
  public static final Permissions ALL = new Permissions(List.of());

  /**
   * The permission of shell commands to change files. Commands may do so in a session that may
   * write or edit every path, unless a rule says otherwise.
   */
  public static final String BASH_CHANGES = "bash:changes";

  private static final String READ = "read";

  public Permissions {
    layers = List.copyOf(layers);
  }

  /** Returns the permissions that are stored as these {@link #rules} and {@link #origins}. */
  public static Permissions stored(List<List<Rule>> rules, List<From> origins) {
    return new Permissions(
        IntStream.range(0, rules.size())
            .mapToObj(i -> new Layer(origins.get(i), rules.get(i)))
            .toList());
  }

  /** Returns the rules of each layer, as they are stored. */
  public List<List<Rule>> rules() {
    return layers.stream().map(Layer::rules).toList();
  }

  /** Returns the origins of the layers, as they are stored. */
  public List<From> origins() {
    return layers.stream().map(Layer::from).toList();
  }

  /** Returns these permissions without what the rules of a call deny. */
  public Permissions narrowedBy(List<Rule> requested) {
    return narrowedBy(From.REQUEST, requested);
  }

  /** Returns these permissions without what {@code rules} deny. */
  public Permissions narrowedBy(From from, List<Rule> rules) {
    if (rules.isEmpty()) {
      return this;
    }
    var narrowed = new ArrayList<>(layers);
    narrowed.add(new Layer(from, rules));
    return new Permissions(narrowed);
  }

  /** Returns what a child inherits: the same, each layer once. */
  public Permissions inherited() {
    return new Permissions(
        layers.stream().map(layer -> new Layer(From.PARENT, layer.rules())).distinct().toList());
  }

  /** Returns the number of rules in all layers. */
  public int size() {
    return layers.stream().mapToInt(layer -> layer.rules().size()).sum();
  }

  /** Returns whether a call of {@code permission} on {@code subject} is allowed. */
  public boolean allow(String permission, String subject) {
    return denial(List.of(permission), subject).isEmpty();
  }

  /**
   * Returns why a call is not allowed; empty if it is.
   *
   * @param names of the tool; a rule that matches one of them applies
   */
  public Optional<Denial> denial(List<String> names, String subject) {
    return first(layer -> layer.denial(names, subject));
  }

  /**
   * Returns whether a call of a file tool on this path is allowed. A rule that denies a directory
   * denies everything below it.
   */
  public boolean allowPath(String permission, String path) {
    return denialOfPath(permission, path).isEmpty();
  }

  /** Returns why a call of a file tool on this path is not allowed; empty if it is. */
  public Optional<Denial> denialOfPath(String permission, String path) {
    return first(layer -> layer.denialOfPath(permission, path));
  }

  /**
   * Returns whether the result of a file tool may show this path, however the call reached it. A
   * layer that allows reading also has to allow reading this path; one that denies all reading has
   * no say, because it may allow searches instead.
   */
  public boolean allowInResult(String permission, String path) {
    return allowPath(permission, path)
        && layers.stream()
            .filter(layer -> layer.denialOfAll(List.of(READ)).isEmpty())
            .allMatch(layer -> layer.denialOfPath(READ, path).isEmpty());
  }

  /**
   * Returns whether a call of {@code permission} may be allowed: false only if every call would be
   * denied.
   */
  public boolean mayEverAllow(String permission) {
    return denialOfAll(List.of(permission)).isEmpty();
  }

  /** Returns whether a call of a tool with several names may ever be allowed. */
  public boolean mayEverAllow(List<String> names) {
    return denialOfAll(names).isEmpty();
  }

  /** Returns why no call of a tool with these names is allowed; empty if some call may be. */
  public Optional<Denial> denialOfAll(List<String> names) {
    return first(layer -> layer.denialOfAll(names));
  }

  /** Returns whether a rule allows {@code permission} by its exact name. */
  public boolean grant(String permission) {
    return layers.stream()
        .flatMap(layer -> layer.rules().stream())
        .anyMatch(rule ->
            rule.action() == Rule.Action.ALLOW && rule.permission().equalsIgnoreCase(permission));
  }

  /**
   * Returns whether shell commands may change the files of the workspace. A command can write to
   * any path, so that the session has to be allowed to write or to edit every path.
   */
  public boolean allowCommandsToChangeFiles() {
    return allowAll("write") || allowAll("edit");
  }

  private boolean allowAll(String permission) {
    return layers.stream().allMatch(layer -> layer.allowsAll(List.of(permission, BASH_CHANGES)));
  }

  private Optional<Denial> first(Function<Layer, Optional<Rule>> denies) {
    return layers.stream()
        .flatMap(layer -> denies.apply(layer).map(rule -> new Denial(layer.from(), rule)).stream())
        .findFirst();
  }

  /**
   * The reason why a call is not allowed: the rule that denies it, and where the rule comes from.
   */
  public record Denial(Layer.From from, Rule rule) {

    private static final int MAX_PATTERN_CHARS = 200;

    /** Returns the reason as a part of a sentence about the session. */
    public String reason() {
      var pattern = rule.pattern();
      var shown =
          pattern.codePointCount(0, pattern.length()) > MAX_PATTERN_CHARS
              ? pattern.substring(0, pattern.offsetByCodePoints(0, MAX_PATTERN_CHARS)) + "…"
              : pattern;
      return "denied by %s (rule: deny %s on %s)".formatted(from.words(), rule.permission(), shown);
    }
  }
}
