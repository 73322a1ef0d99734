package dev.errand.tool.web;

import dev.errand.egress.CheckedHttp;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/** Reads an answer up to a maximum size, counted after decompression. */
record AnswerReader(int maxBytes) implements CheckedHttp.AnswerConverter<AnswerReader.WebAnswer> {

  private static final int BUFFER_BYTES = 16 << 10;
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final byte[] EMPTY = {};

  /** The limit of any configuration, because arrays cannot be much larger. */
  private static final int MAX_BYTES = 1 << 30;

  AnswerReader(long maxBytes) {
    this((int) Math.min(maxBytes, MAX_BYTES));
  }

  /** The answer has a content encoding that was not requested. */
  static final class UnknownEncoding extends IOException {
    private static final long serialVersionUID = 1;
  }

  @Override
  public WebAnswer read(ClassicHttpResponse response) throws IOException {
    var status = response.getCode();
    var type = WebType.of(header(response, "Content-Type").orElse(""));
    var entity = response.getEntity();
    var length = entity == null ? 0 : entity.getContentLength();
    if (REDIRECTS.contains(status)) {
      return new WebAnswer(
          status, type, header(response, "Location").orElse(null), EMPTY, false, length);
    }
    if (entity == null || !(type.isText() || type.isPage() || type.isUnknown())) {
      return new WebAnswer(status, type, null, EMPTY, false, length);
    }
    var body = body(entity, header(response, "Content-Encoding").orElse("identity"));
    var cut = body.length > maxBytes;
    var kept = cut ? Arrays.copyOf(body, maxBytes) : body;
    return new WebAnswer(status, type, null, kept, cut, length);
  }

  /** Reads one byte more than allowed, to notice that there is more. */
  private byte[] body(HttpEntity entity, String encoding) throws IOException {
    var content = entity.getContent();
    return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
      case "", "identity" -> content.readNBytes(maxBytes + 1);
      case "gzip", "x-gzip" -> decompressed(content);
      default -> throw new UnknownEncoding();
    };
  }

  /** Some servers declare an empty body as gzip. */
  private byte[] decompressed(InputStream content) throws IOException {
    var compressed = new PushbackInputStream(content);
    var first = compressed.read();
    if (first < 0) {
      return EMPTY;
    }
    compressed.unread(first);
    return new GZIPInputStream(compressed, BUFFER_BYTES).readNBytes(maxBytes + 1);
  }

  private static Optional<String> header(ClassicHttpResponse response, String name) {
    return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
  }

  /**
   * The answer of a server.
   *
   * @param location the target of a redirect; null if the answer is not one
   * @param body decompressed; only the beginning if {@code cut}; empty if it is not text
   * @param length the length of the body as the server declares it; -1 if it does not
   */
  record WebAnswer(
      int status, WebType type, @Nullable String location, byte[] body, boolean cut, long length) {

    boolean isError() {
      return status / 100 != 2;
    }
  }
}
