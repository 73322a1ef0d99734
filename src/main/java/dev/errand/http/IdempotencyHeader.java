package dev.errand.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.task.IdempotencyKey;
import jakarta.ws.rs.HeaderParam;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The request header {@code Idempotency-Key}. */
public class IdempotencyHeader {

  private static final String NAME = "Idempotency-Key";
  private static final int MAX_LENGTH = 255;

  private static final JsonMapper SORTED =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  @HeaderParam(NAME)
  public @Nullable String value;

  /**
   * Returns the key of a request, which contains a digest of the request's body; null without the
   * header.
   *
   * @throws Refusal the key is empty, longer than 255 characters, or not printable ASCII
   */
  public @Nullable IdempotencyKey of(IdempotencyKey.KeyScope scope, ObjectNode body) {
    return key(value, scope, body);
  }

  /** Returns the key of a request whose key did not come in this header. */
  public static @Nullable IdempotencyKey key(
      @Nullable String key, IdempotencyKey.KeyScope scope, ObjectNode body) {
    if (key == null) {
      return null;
    }
    if (key.isEmpty()
        || key.length() > MAX_LENGTH
        || !key.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      throw Refusal.invalid(NAME, "must have 1 to " + MAX_LENGTH + " printable ASCII characters");
    }
    return new IdempotencyKey(scope, key, digest(body));
  }

  /** The digest does not depend on the order of the fields or on white space. */
  public static String digest(ObjectNode body) {
    try {
      var text = SORTED.writeValueAsString(SORTED.treeToValue(body, TreeMap.class));
      var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (JsonProcessingException | NoSuchAlgorithmException fault) {
      throw new IllegalStateException(fault);
    }
  }
}
