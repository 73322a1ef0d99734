package dev.errand.conversation;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * Writes JSON as text. Its buffers are shared: with {@link JsonNode#toString}, each thread keeps 30
 * KB of its own, and a run has a thread of its own while it waits for its model.
 */
public final class JsonText {

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
                  .build())
          .build();

  private JsonText() {}

  /** Returns the text of a value, without spaces. */
  public static String of(JsonNode value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("a tree is always JSON", impossible);
    }
  }
}
