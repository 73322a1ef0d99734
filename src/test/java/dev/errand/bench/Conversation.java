package dev.errand.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;

/**
 * What the endpoint needs to know of a request to the Chat Completions API.
 *
 * @param job what the latest user message that is no notice asks for
 * @param answers how many answers of the model follow it
 * @param last what the model is to answer now
 */
record Conversation(Job job, int answers, Last last) {

  private static final JsonFactory JSON = new JsonFactory();
  private static final Pattern JOB = Pattern.compile("(work|read|delegate|park) (\\S+) (\\d+)");

  /** The last message. */
  enum Last {
    REQUEST,
    NOTICE,
    TOOL_RESULT
  }

  /**
   * @param number milliseconds, or turns
   */
  record Job(String kind, String id, int number) {}

  static Conversation of(byte[] body) {
    try (var parser = JSON.createParser(body)) {
      parser.nextToken();
      while (!"messages".equals(parser.nextFieldName())) {
        parser.nextToken();
        parser.skipChildren();
      }
      parser.nextToken();
      return messages(parser);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Conversation messages(JsonParser parser) throws IOException {
    var job = new Job("work", "none", 0);
    var answers = 0;
    var last = Last.REQUEST;
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      var role = "";
      var text = "";
      for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        var value = parser.nextToken();
        if (name.equals("role")) {
          role = parser.getText();
        } else if (name.equals("content") && value == JsonToken.VALUE_STRING) {
          text = parser.getText();
        } else {
          parser.skipChildren();
        }
      }
      var asked = JOB.matcher(text);
      if (role.equals("user") && asked.lookingAt()) {
        job = new Job(asked.group(1), asked.group(2), Integer.parseInt(asked.group(3)));
        answers = 0;
        last = Last.REQUEST;
      } else {
        last = role.equals("user") ? Last.NOTICE : Last.TOOL_RESULT;
      }
      answers += role.equals("assistant") ? 1 : 0;
    }
    return new Conversation(job, answers, last);
  }
}
