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

/** Reads an answer up to a size, counted after unpacking. */
record AnswerReader(int maxBytes) implements CheckedHttp.Reading<WebAnswer> {

  private static final int PIECE = 16 << 10;
  private static final Set<Integer> MOVED = Set.of(301, 302, 303, 307, 308);
  private static final byte[] NOTHING = {};

  /** Whatever is configured: an array cannot have much more. */
  private static final int MOST = 1 << 30;

  AnswerReader(long maxBytes) {
    this((int) Math.min(maxBytes, MOST));
  }

  /** The answer is packed in a way that we did not ask for. */
  static final class UnknownPacking extends IOException {
    private static final long serialVersionUID = 1;
  }

  @Override
  public WebAnswer read(ClassicHttpResponse response) throws IOException {
    var status = response.getCode();
    var type = WebType.of(header(response, "Content-Type").orElse(""));
    var entity = response.getEntity();
    var length = entity == null ? 0 : entity.getContentLength();
    if (MOVED.contains(status)) {
      return new WebAnswer(status, type, header(response, "Location"), NOTHING, false, length);
    }
    if (entity == null || !(type.isText() || type.isPage() || type.isUnknown())) {
      return new WebAnswer(status, type, Optional.empty(), NOTHING, false, length);
    }
    var body = body(entity, header(response, "Content-Encoding").orElse("identity"));
    var cut = body.length > maxBytes;
    var kept = cut ? Arrays.copyOf(body, maxBytes) : body;
    return new WebAnswer(status, type, Optional.empty(), kept, cut, length);
  }

  /** One byte more than it may have shows that it has more. */
  private byte[] body(HttpEntity entity, String packing) throws IOException {
    var content = entity.getContent();
    return switch (packing.strip().toLowerCase(Locale.ROOT)) {
      case "", "identity" -> content.readNBytes(maxBytes + 1);
      case "gzip", "x-gzip" -> unpacked(content);
      default -> throw new UnknownPacking();
    };
  }

  /** Some servers say that nothing is packed. */
  private byte[] unpacked(InputStream content) throws IOException {
    var packed = new PushbackInputStream(content);
    var first = packed.read();
    if (first < 0) {
      return NOTHING;
    }
    packed.unread(first);
    return new GZIPInputStream(packed, PIECE).readNBytes(maxBytes + 1);
  }

  private static Optional<String> header(ClassicHttpResponse response, String name) {
    return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
  }
}
