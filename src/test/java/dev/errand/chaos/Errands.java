package dev.errand.chaos;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Random;

/**
 * What one task of the harness is to do; stands in its prompt, so that whoever answers as its model
 * knows it from the conversation alone.
 *
 * @param key unlike any other's
 * @param helpers how many tasks it delegates itself
 * @param background whether it does so in the background
 * @param toolMs how long its side effect takes
 * @param quick it only says its last word
 */
record Errands(String key, int helpers, boolean background, long toolMs, boolean quick) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static Errands drawn(String key, Random random) {
    var delegates = random.nextInt(10) < 2;
    return new Errands(
        key,
        delegates ? 1 + random.nextInt(2) : 0,
        random.nextBoolean(),
        random.nextInt(400),
        false);
  }

  static Errands helper(Errands of, int number) {
    return new Errands(of.key() + "-h" + number, 0, false, of.toolMs(), false);
  }

  static Errands quick(String key) {
    return new Errands(key, 0, false, 0, true);
  }

  String agent() {
    return helpers == 0 ? "general" : "lead";
  }

  String prompt() {
    try {
      return JSON.writeValueAsString(this);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** How the {@code task} tool and its REST form are asked for it. */
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

  static Errands of(String prompt) {
    try {
      return JSON.readValue(prompt, Errands.class);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
