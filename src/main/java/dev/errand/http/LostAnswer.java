package dev.errand.http;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells a client how to find out whether a request was accepted, when the database stopped
 * answering while it was stored.
 */
final class LostAnswer {

  /** The requests that accept an idempotency key. */
  private static final Set<String> KEYED =
      Set.of("sessions", "tasks", "messages", "commands", "mcp");

  private static final Pattern LAST_SLASHES = Pattern.compile("/+$");
  private static final String OR_WITH_A_KEY =
      "; a request with an Idempotency-Key can be repeated instead.";

  private LostAnswer() {}

  /**
   * @param path decoded
   * @param hasKey whether the request had the header {@code Idempotency-Key}
   */
  static String advice(String method, String path, boolean hasKey) {
    var address = LAST_SLASHES.matcher(path).replaceFirst("");
    var parent = address.substring(0, address.lastIndexOf('/'));
    var name = method.equals("POST") ? address.substring(parent.length() + 1) : "";
    if (hasKey && KEYED.contains(name)) {
      return "To find out, repeat it with the same Idempotency-Key.";
    }
    return switch (name) {
      case "sessions", "tasks" -> "To find out, list GET " + address + OR_WITH_A_KEY;
      case "messages" ->
          "An accepted message is missing in GET "
              + address
              + " while it waits in the inbox"
              + OR_WITH_A_KEY;
      case "commands" ->
          "To find out, list GET /v1/tasks, or GET "
              + parent
              + "/messages for skill:load, which is missing there while it waits in the inbox"
              + OR_WITH_A_KEY;
      case "mcp" -> "To find out, call the tool task_list" + OR_WITH_A_KEY;
      case "keys" ->
          "To find out, list GET "
              + address
              + ". A key whose secret was lost with the answer cannot be used: revoke it, and make"
              + " another one.";
      case "pauses" -> "To find out, list GET " + address + ".";
      case "tokens" -> "Repeat it: a further token does no harm.";
      case "resume" -> "Repeat it: a session that works, or has nothing to do, is not changed.";
      case "cancel" ->
          "Repeat it: what is cancelled is not changed, what still works is cancelled.";
      default -> "Repeat it: if it was accepted, the repetition changes nothing more.";
    };
  }
}
