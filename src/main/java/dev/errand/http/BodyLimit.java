package dev.errand.http;

import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response.Status;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * Refuses bodies without a {@code Content-Length}, such as chunked ones, while they are read:
 * {@link RequestLimits} refuses the others before.
 */
class BodyLimit {

  private final CurrentVertxRequest current;

  BodyLimit(CurrentVertxRequest current) {
    this.current = current;
  }

  @ServerRequestFilter
  public void limit(ContainerRequestContext request) {
    if (request.getHeaderString(HttpHeaders.CONTENT_LENGTH) == null
        && request.getHeaderString(HttpHeaders.CONTENT_TYPE) != null) {
      request.setEntityStream(new CountedStream(request.getEntityStream(), current.getCurrent()));
    }
  }

  private static final class CountedStream extends FilterInputStream {

    private final RoutingContext context;
    private long left = RequestLimits.MAX_BODY_BYTES;

    CountedStream(InputStream body, RoutingContext context) {
      super(body);
      this.context = context;
    }

    @Override
    public int read() throws IOException {
      var read = super.read();
      count(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      var read = super.read(bytes, offset, length);
      count(read);
      return read;
    }

    private void count(int read) {
      left -= Math.max(read, 0);
      if (left < 0) {
        endConnection();
        throw new Refusal(Status.REQUEST_ENTITY_TOO_LARGE, RequestLimits.BODY_DETAIL, List.of());
      }
    }

    /** The rest of the body is not read. A connection of HTTP/2 has other streams and stays. */
    private void endConnection() {
      var response = context.response();
      if (response.streamId() < 0) {
        response.putHeader("Connection", "close");
      }
    }

    /** The end of a body that is refused is not waited for. */
    @Override
    public void close() throws IOException {
      if (left >= 0) {
        super.close();
      }
    }
  }
}
