package dev.errand.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.api.http.ProblemMappers;
import dev.errand.api.http.Refusal;
import dev.errand.api.http.SseWriter;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent;
import dev.errand.event.EventStore;
import dev.errand.event.EventWaiters;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/** What happens in a session, as it happens (C4). */
@Path("/v1/sessions/{id}/events")
@RunOnVirtualThread
@Tag(name = "Events")
class EventsResource {

  private static final String RETRY_SECONDS = "5";
  private static final Logger LOG = Logger.getLogger(EventsResource.class);

  private final EventStore store;
  private final OpenStreams streams;
  private final EventStream.Log log;
  private final SseWriter.Sse sse;

  EventsResource(
      EventStore store,
      EventWaiters waits,
      OpenStreams streams,
      EventConfig config,
      ObjectMapper mapper,
      Vertx vertx) {
    this.store = store;
    this.streams = streams;
    this.log = new EventStream.Log(store, waits, config.keepAlive());
    this.sse = new SseWriter.Sse(vertx, config.writeTimeout(), mapper);
  }

  static final class TooManyStreams extends RuntimeException {

    private static final long serialVersionUID = 1;
  }

  @GET
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @Operation(
      summary =
          "What happens in a session, as server-sent events; with tree=true in all below, too",
      description =
          """
          Each event's id is its place: with Last-Event-ID, or after, the stream goes on behind it, and nothing is \
          lost or told twice. Without them it begins with the oldest event that is kept. Places of the stream of a \
          session and of its tree are the same numbers. data is a CloudEvents 1.0 envelope in JSON. A session.message \
          with seq is an entry of the transcript; one without is what the agent said to its user by the tool message, \
          with the session's origin. The stream ends when the session is deleted; when this node stops, it says with \
          retry when to come back.\
          """)
  @APIResponse(
      responseCode = "200",
      description = "A stream of id (the place), event (the type) and data (this)",
      content =
          @Content(
              mediaType = MediaType.SERVER_SENT_EVENTS,
              schema = @Schema(implementation = CloudEvent.class)))
  public Response stream(
      @PathParam("id") SessionId id,
      @QueryParam("tree") @DefaultValue("false") boolean tree,
      @QueryParam("after") @DefaultValue("0") @Min(0) long after,
      @Parameter(schema = @Schema(implementation = Long.class, minimum = "0"))
          @HeaderParam("Last-Event-ID")
          @Nullable Long lastEventId,
      @Context HttpServerResponse response) {
    var scope = new EventStore.Scope(id, tree);
    var newest = newest(scope.session());
    var place =
        lastEventId == null
            ? place("after", after, newest)
            : place("Last-Event-ID", lastEventId, newest);
    if (streams.areTooMany()) {
      throw new TooManyStreams();
    }
    StreamingOutput body = out -> stream(scope, place, new SseWriter(out, response, sse));
    return Response.ok(body, MediaType.SERVER_SENT_EVENTS)
        .header("Cache-Control", "no-store")
        .header("X-Accel-Buffering", "no")
        .build();
  }

  @ServerExceptionMapper
  Response refused(TooManyStreams refusal, @Context UriInfo request) {
    var detail = "This node serves as many streams of events as it may. Try again later.";
    var response = ProblemMappers.answer(Status.SERVICE_UNAVAILABLE, detail, List.of(), request);
    return Response.fromResponse(response).header("Retry-After", RETRY_SECONDS).build();
  }

  private long newest(SessionId session) {
    return Optional.ofNullable(store.newest(Set.of(session)).get(session))
        .orElseThrow(() -> Refusal.notFound("session", session));
  }

  /** One that lies ahead is of another session's stream: who waited there would miss what comes. */
  private static long place(String field, long place, long newest) {
    if (place < 0 || place > newest) {
      throw Refusal.invalid(field, "must be the id of an event of this session");
    }
    return place;
  }

  private void stream(EventStore.Scope scope, long after, SseWriter writer) {
    streams.serve(() -> {
      try {
        new EventStream(log, scope, after, writer, streams::areStopping).run();
      } catch (IOException gone) {
        LOG.debugf(gone, "A client of the events of %s is gone", scope.session());
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    });
  }
}
