package dev.errand.hook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Locale;
import java.util.Set;

/** The decision of a hook about a call. Only an answer that is understood as a whole allows it. */
sealed interface Decision {

  record Allowed() implements Decision {}

  record Denied(String reason) implements Decision {}

  /** The answer cannot be used. */
  record Unreadable(String why) implements Decision {}

  /** Reads one value as a whole: what follows it, or a repeated key, could be a denial. */
  JsonMapper JSON =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  Set<String> DENY = Set.of("deny", "block");
  Set<String> ALLOW = Set.of("allow", "approve");

  /**
   * Reads an answer: {@code {"decision": "deny", "reason": "…"}}, or what a hook of Claude Code
   * prints. No text allows the call.
   *
   * @param lenient whether a text that is not a JSON object decides nothing, as in Claude Code
   */
  static Decision of(String text, boolean lenient) {
    if (text.isBlank() || (lenient && !text.strip().startsWith("{"))) {
      return new Allowed();
    }
    try {
      return JSON.readTree(text) instanceof JsonNode answer && answer.isObject()
          ? of(answer)
          : new Unreadable("gave an answer that is not a JSON object");
    } catch (JsonProcessingException malformed) {
      return new Unreadable("gave an answer that is not JSON");
    }
  }

  private static Decision of(JsonNode answer) {
    var specific = answer.path("hookSpecificOutput");
    if (answer.has("updatedInput") || specific.has("updatedInput")) {
      return new Unreadable("wants to change the arguments, which is not supported");
    }
    if (answer.path("continue").isBoolean() && !answer.path("continue").asBoolean()) {
      return new Denied(answer.path("stopReason").asText(""));
    }
    var own = of(answer.path("decision"), answer.path("reason"));
    return own instanceof Allowed
        ? of(specific.path("permissionDecision"), specific.path("permissionDecisionReason"))
        : own;
  }

  private static Decision of(JsonNode decision, JsonNode reason) {
    var word = decision.asText("").toLowerCase(Locale.ROOT);
    if (decision.isMissingNode() || decision.isNull() || ALLOW.contains(word)) {
      return new Allowed();
    }
    if (DENY.contains(word)) {
      return new Denied(reason.asText(""));
    }
    return new Unreadable(
        "gave a decision that is neither allow nor deny"
            + (word.equals("ask") ? ": there is no user to ask" : ""));
  }
}
