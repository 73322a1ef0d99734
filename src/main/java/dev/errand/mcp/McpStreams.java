package dev.errand.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.http.ClientLimits;
import dev.errand.http.OpenStreams;
import dev.errand.http.OpenStreams.EventConfig;
import dev.errand.http.Refusal;
import dev.errand.http.SseWriter;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.time.Duration;
import java.util.Optional;

/** Opens the streams of calls that wait. */
@Singleton
class McpStreams {

  private static final Duration TO_THE_END = Duration.ofDays(1);

  private final HeldCalls calls;
  private final ToolResults results;
  private final OpenStreams streams;
  private final ClientLimits limits;
  private final SseWriter.Sse sse;

  McpStreams(
      HeldCalls calls,
      ToolResults results,
      OpenStreams streams,
      ClientLimits limits,
      EventConfig config,
      ObjectMapper mapper,
      Vertx vertx) {
    this.calls = calls;
    this.results = results;
    this.streams = streams;
    this.limits = limits;
    this.sse = new SseWriter.Sse(vertx, config.writeTimeout(), mapper);
  }

  /** Opens a stream; empty when the node or the client has too many. */
  Optional<Response> open(McpCall call, Reply.Held held, HttpServerResponse response) {
    if (streams.areTooMany()) {
      return Optional.empty();
    }
    ClientLimits.Place place;
    try {
      place = limits.waiting(held.limit() == null ? TO_THE_END : held.limit());
    } catch (Refusal tooMany) {
      return Optional.empty();
    }
    StreamingOutput body =
        out -> {
          try (place) {
            calls.answer(call, held, new SseWriter(out, response, sse));
          }
        };
    return Optional.of(
        Response.ok(body, MediaType.SERVER_SENT_EVENTS_TYPE)
            .header("Cache-Control", "no-store")
            .header("X-Accel-Buffering", "no")
            .build());
  }

  /** The task is accepted, but the call cannot wait for it. */
  Reply.Result withoutPlace(Reply.Held held) {
    return Reply.Result.of(results.started(held.task()));
  }
}
