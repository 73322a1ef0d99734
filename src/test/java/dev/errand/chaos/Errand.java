package dev.errand.chaos;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Random;

/**
 * What one task of the harness does. It is the prompt of the task, so that the model can derive its
 * answers from the conversation alone.
 *
 * @param key unique
 * @param helpers the number of tasks that it delegates
 * @param background whether it delegates them in the background
 * @param toolMs the duration of its tool call with a side effect
 * @param quick whether it answers at once, without tool calls
 * @param pages the number of pages that it reads and comments on, more than fit into the context
 *     window; 0 for other tasks
 */
record Errand(String key, int helpers, boolean background, long toolMs, boolean quick, int pages) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static Errand drawn(String key, Random random) {
    var delegates = random.nextInt(10) < 2;
    return new Errand(
        key,
        delegates ? 1 + random.nextInt(2) : 0,
        random.nextBoolean(),
        random.nextInt(400),
        false,
        0);
  }

  static Errand helper(Errand parent, int number) {
    return new Errand(parent.key() + "-h" + number, 0, false, parent.toolMs(), false, 0);
  }

  static Errand quick(String key) {
    return new Errand(key, 0, false, 0, true, 0);
  }

  /** A task with one tool call of this duration. */
  static Errand slow(String key, long toolMs) {
    return new Errand(key, 0, false, toolMs, false, 0);
  }

  static Errand reader(String key, int pages) {
    return new Errand(key, 0, false, 0, false, pages);
  }

  String agent() {
    return helpers == 0 ? "general" : "lead";
  }

  String prompt() {
    try {
      return JSON.writeValueAsString(this);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  /** The arguments of the {@code task} tool, which are also the body of the REST request. */
  Map<String, Object> asTask(boolean inBackground) {
    return Map.of(
        "description",
        "errand " + key,
        "prompt",
        prompt(),
        "subagent_type",
        agent(),
        "background",
        inBackground);
  }

  static Errand of(String prompt) {
    try {
      return JSON.readValue(prompt, Errand.class);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }
}
