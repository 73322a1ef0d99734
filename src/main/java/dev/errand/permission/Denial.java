package dev.errand.permission;

/** Why a call is not allowed: the rule that denies it, and where the rule comes from. */
public record Denial(Layer.From from, Rule rule) {

  private static final int MAX_PATTERN_CHARS = 200;

  /** Returns the reason as a part of a sentence about the session. */
  public String reason() {
    var pattern = rule.pattern();
    var shown =
        pattern.length() > MAX_PATTERN_CHARS
            ? pattern.substring(0, MAX_PATTERN_CHARS) + "…"
            : pattern;
    return "denied by %s (rule: deny %s on %s)".formatted(from.words(), rule.permission(), shown);
  }
}
