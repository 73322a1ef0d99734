package dev.errand.model;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The names and ids of tool calls as they are sent. Models invent names ({@code functions.read}),
 * and the ids of one provider are not valid at another; all providers accept what this class
 * returns. Valid names and ids are sent unchanged. The others get the same replacement in every
 * request, so that prompt caches stay valid.
 */
final class SentCalls {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_-]{0,63}");
  private static final Pattern ID = Pattern.compile("[a-zA-Z0-9_-]{1,40}");
  private static final Pattern REFUSED = Pattern.compile("[^a-zA-Z0-9_-]");
  private static final int KEPT_CHARS = 24;
  private static final int DIGITS = 8;

  private final Set<String> ids = new HashSet<>();

  static String name(String name) {
    return NAME.matcher(name).matches() ? name : "tool_" + replaced(name, name);
  }

  /** Returns an id that this request does not contain yet; a model may use its ids again. */
  String id(String id) {
    var sent = ID.matcher(id).matches() ? id : replaced(id, id);
    for (int repetition = 2; !ids.add(sent); repetition++) {
      sent = replaced(id, id + "#" + repetition);
    }
    return sent;
  }

  /** Returns the beginning of a text, and digits that stand for the whole of it. */
  private static String replaced(String text, String whole) {
    var start = text.substring(0, Math.min(text.length(), KEPT_CHARS));
    var digits = UUID.nameUUIDFromBytes(whole.getBytes(StandardCharsets.UTF_8)).toString();
    return REFUSED.matcher(start).replaceAll("_") + "_" + digits.substring(0, DIGITS);
  }
}
