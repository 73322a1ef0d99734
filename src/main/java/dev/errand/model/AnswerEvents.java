package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Reads the body of an answer as JSON values: one document, documents after each other, a list of
 * them, or the events of a server-sent stream, whichever has arrived. The content type is not used,
 * because many servers send a wrong one.
 */
final class AnswerEvents {

  /** Python writes NaN. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(
              JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS,
              JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
          .build();

  /** Data of a stream that carry no JSON: {@code ping}, {@code [HEARTBEAT]}. They are skipped. */
  private static final Pattern SIGNAL = Pattern.compile("[^{\\[].*|\\[[A-Z_ ]+\\]", Pattern.DOTALL);

  private static final String DONE = "[DONE]";
  private static final String DATA = "data:";
  private static final int BYTE_ORDER_MARK = 0xFEFF;
  private static final int GZIP = 0x1f8b;

  private final Consumer<JsonNode> reader;
  private int documents;
  private boolean isStream;
  private boolean isDone;

  /** {@code reader} gets each value. */
  AnswerEvents(Consumer<JsonNode> reader) {
    this.reader = reader;
  }

  /** Returns whether the body was one document. */
  boolean isDocument() {
    return !isStream && documents == 1;
  }

  /** Returns whether there was the event with which a stream of OpenAI's API ends. */
  boolean isDone() {
    return isDone;
  }

  /** Returns whether documents end in the middle of one that is not the first. */
  boolean isCut(JsonProcessingException fault) {
    return documents > 0 && fault instanceof JsonEOFException;
  }

  /**
   * Reads to the end.
   *
   * @throws JsonProcessingException a value is not JSON, or is cut
   */
  void read(InputStream body) throws IOException {
    var text = new BufferedReader(new InputStreamReader(unpacked(body), UTF_8));
    switch (firstOf(text)) {
      case '{', '[' -> readDocuments(text);
      default -> readStream(text);
    }
  }

  private static InputStream unpacked(InputStream body) throws IOException {
    var peeked = new PushbackInputStream(body, 2);
    var start = peeked.readNBytes(2);
    peeked.unread(start);
    return start.length == 2 && ((start[0] & 0xff) << 8 | (start[1] & 0xff)) == GZIP
        ? new GZIPInputStream(peeked)
        : peeked;
  }

  /** Skips white space and byte order marks; the first other character is read again. */
  private static int firstOf(BufferedReader text) throws IOException {
    int next;
    do {
      text.mark(1);
      next = text.read();
    } while (next == BYTE_ORDER_MARK || Character.isWhitespace(next));
    if (next >= 0) {
      text.reset();
    }
    return next;
  }

  private void readDocuments(BufferedReader text) throws IOException {
    try (var parser = JSON.createParser(text)) {
      parser.disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);
      for (JsonNode next = JSON.readTree(parser); next != null; next = JSON.readTree(parser)) {
        passAll(next);
      }
    }
  }

  private void passAll(JsonNode values) {
    for (var value : Lenient.list(values)) {
      documents++;
      reader.accept(value);
    }
  }

  /** Reads the lines with data; an event without an empty line after it is read, too. */
  private void readStream(BufferedReader text) throws IOException {
    isStream = true;
    var data = new ArrayList<String>();
    for (var line = text.readLine(); line != null; line = text.readLine()) {
      var field = line.stripLeading();
      if (field.startsWith(DATA)) {
        data.add(field.substring(DATA.length()).strip());
      } else if (field.isEmpty()) {
        endEvent(data);
      }
    }
    endEvent(data);
  }

  private void endEvent(List<String> data) throws IOException {
    if (data.size() > 1 && !isOneValue(data)) {
      for (var line : data) {
        event(line);
      }
    } else {
      event(String.join("\n", data));
    }
    data.clear();
  }

  /** Some servers put no empty line between events. */
  private static boolean isOneValue(List<String> data) {
    try {
      JSON.readTree(data.getFirst());
      return false;
    } catch (JsonProcessingException begun) {
      return true;
    }
  }

  private void event(String data) throws IOException {
    var value = data.startsWith(DATA) ? data.substring(DATA.length()).strip() : data;
    if (value.equalsIgnoreCase(DONE)) {
      isDone = true;
    } else if (!value.isEmpty() && !SIGNAL.matcher(value).matches()) {
      passAll(JSON.readTree(value));
    }
  }
}
