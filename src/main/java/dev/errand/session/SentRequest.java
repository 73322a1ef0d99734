package dev.errand.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.JsonText;
import dev.errand.secret.Secrets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The body of the request of a turn as it was sent to the model, compressed. Secrets are masked,
 * and so is the nonce of the session. Of a body with more than {@value #MOST_BYTES} bytes, only the
 * fact that it was sent is kept.
 */
public final class SentRequest {

  static final int MOST_BYTES = 4 << 20;

  private final byte @Nullable [] compressed;

  private SentRequest(byte @Nullable [] compressed) {
    this.compressed = compressed;
  }

  public static SentRequest of(JsonNode body, String nonce) {
    var json = masked(body).replace(nonce, Secrets.MASK).getBytes(UTF_8);
    return new SentRequest(json.length > MOST_BYTES ? null : compressed(json));
  }

  private static String masked(JsonNode body) {
    var json = JsonText.of(body);
    return Secrets.occurIn(json) ? JsonText.of(Secrets.masked(body)) : json;
  }

  /** Returns the body, which was read from the table. */
  public static String json(byte[] compressed) {
    try (var json = new InflaterInputStream(new ByteArrayInputStream(compressed))) {
      return new String(json.readAllBytes(), UTF_8);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static byte[] compressed(byte[] json) {
    var compressed = new ByteArrayOutputStream();
    try (var deflater = new DeflaterOutputStream(compressed)) {
      deflater.write(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return compressed.toByteArray();
  }

  /** Returns how much memory it needs. */
  public int bytes() {
    return compressed == null ? 0 : compressed.length;
  }

  byte @Nullable [] compressed() {
    return compressed;
  }
}
