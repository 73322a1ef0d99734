package dev.errand.egress;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.client5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.HttpMessageParser;
import org.apache.hc.core5.http.io.HttpMessageParserFactory;
import org.apache.hc.core5.http.io.SessionInputBuffer;

/**
 * Reads the headers of answers: 64 KiB in any number of lines, and not much more, so that an
 * endless answer does not take memory.
 */
final class BoundedHeads implements HttpMessageParserFactory<ClassicHttpResponse> {

  static final int MAX_BYTES = 64 << 10;

  /** No header is shorter than its name, a colon and a line feed. */
  private static final int SHORTEST_HEADER = 3;

  static Http1Config limits() {
    return Http1Config.custom()
        .setMaxLineLength(MAX_BYTES)
        .setMaxHeaderCount(MAX_BYTES / SHORTEST_HEADER)
        .build();
  }

  @Override
  public HttpMessageParser<ClassicHttpResponse> create(Http1Config limits) {
    var parser = new DefaultHttpResponseParserFactory().create(limits);
    var most = MAX_BYTES + limits.getBufferSize();
    return new BoundedParser(parser, most);
  }

  /**
   * @param most what is read from the connection for the head, with a part of the body
   */
  private record BoundedParser(HttpMessageParser<ClassicHttpResponse> parser, int most)
      implements HttpMessageParser<ClassicHttpResponse> {

    @Override
    public ClassicHttpResponse parse(SessionInputBuffer buffer, InputStream connection)
        throws IOException, HttpException {
      return parser.parse(buffer, new BoundedStream(connection, most));
    }
  }

  private static final class BoundedStream extends FilterInputStream {

    private int left;

    BoundedStream(InputStream connection, int most) {
      super(connection);
      this.left = most;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
      if (left == 0) {
        throw new MessageConstraintException("The headers are too long");
      }
      var count = super.read(target, from, Math.min(length, left));
      left -= Math.max(0, count);
      return count;
    }
  }
}
