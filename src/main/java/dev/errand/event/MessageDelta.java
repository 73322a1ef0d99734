package dev.errand.event;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.EventId;
import dev.errand.conversation.TextCut;
import java.time.Instant;

/**
 * Words of an answer that a model is writing. They are not stored, and the message that is stored
 * replaces them.
 *
 * @param offset the characters before the text in the answer; 0 when the text begins again
 */
public record MessageDelta(SpokenCall call, Instant time, long offset, String text) {

  public static final String TYPE = "message.delta";

  /** What fits into a notification of 4 kB, in bytes of JSON. */
  private static final int MAX_BYTES = 3_700;

  private static final int ESCAPED = 6;
  private static final int WIDE = 3;

  /** Returns as much of the beginning of a text as one delta may have. */
  public static String head(String text) {
    var bytes = 0;
    for (int at = 0; at < text.length(); at++) {
      bytes += bytes(text.charAt(at));
      if (bytes > MAX_BYTES) {
        return TextCut.head(text, at);
      }
    }
    return text;
  }

  /** Returns at most how many bytes a character takes in a JSON text. */
  private static int bytes(char character) {
    if (character < ' ') {
      return ESCAPED;
    }
    if (character == '"' || character == '\\') {
      return 2;
    }
    return character < 0x80 ? 1 : WIDE;
  }

  /** Returns the event that clients get: {@code {"offset": 12, "text": "…"}}. */
  public CloudEvent event() {
    var data = JsonNodeFactory.instance.objectNode().put("offset", offset).put("text", text);
    return CloudEvent.of(
        EventId.next().toString(), call.session(), new EventContent(TYPE, null, time, data));
  }
}
