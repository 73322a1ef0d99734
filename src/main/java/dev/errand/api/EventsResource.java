package dev.errand.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.event.EventStore;
import dev.errand.event.EventWaiters;
import dev.errand.http.ClientLimits;
import dev.errand.http.OpenStreams;
import dev.errand.http.OpenStreams.EventConfig;
import dev.errand.http.ProblemMappers;
import dev.errand.http.Refusal;
import dev.errand.http.SseWriter;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import jakarta.annotation.security.RolesAllowed;
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
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/** The events of a session, as server-sent events. */
@Path("/v1/sessions/{id}/events")
@RunOnVirtualThread
class EventsResource {

  private static final String RETRY_SECONDS = "5";
  private static final Logger LOG = Logger.getLogger(EventsResource.class);

  private final EventStore store;
  private final OpenStreams streams;
  private final ClientLimits limits;
  private final EventStream.Log log;
  private final SseWriter.Sse sse;

  EventsResource(
      EventStore store,
      EventWaiters waits,
      OpenStreams streams,
      ClientLimits limits,
      EventConfig config,
      ObjectMapper mapper,
      Vertx vertx) {
    this.store = store;
    this.streams = streams;
    this.limits = limits;
    this.log = new EventStream.Log(store, waits, config.keepAlive());
    this.sse = new SseWriter.Sse(vertx, config.writeTimeout(), mapper);
  }

  static final class TooManyStreams extends RuntimeException {

    private static final long serialVersionUID = 1;
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Produces(MediaType.SERVER_SENT_EVENTS)
  public Response stream(
      @PathParam("id") SessionId id,
      @QueryParam("tree") @DefaultValue("false") boolean tree,
      @QueryParam("after") @DefaultValue("0") @Min(0) long after,
      @HeaderParam("Last-Event-ID") @Nullable Long lastEventId,
      @Context HttpServerResponse response) {
    var scope = new EventStore.Scope(id, tree);
    var newest = newest(scope.session());
    var position =
        lastEventId == null
            ? checked("after", after, newest)
            : checked("Last-Event-ID", lastEventId, newest);
    if (streams.areTooMany()) {
      throw new TooManyStreams();
    }
    var place = limits.streaming();
    StreamingOutput body =
        out -> {
          try (place) {
            stream(scope, position, new SseWriter(out, response, sse));
          }
        };
    return Response.ok(body, MediaType.SERVER_SENT_EVENTS)
        .header("Cache-Control", "no-store")
        .header("X-Accel-Buffering", "no")
        .build();
  }

  @ServerExceptionMapper
  Response refused(TooManyStreams refusal, @Context UriInfo request) {
    var detail = "This node serves no more streams of events now. Try again later.";
    var response = ProblemMappers.answer(Status.SERVICE_UNAVAILABLE, detail, List.of(), request);
    return Response.fromResponse(response).header("Retry-After", RETRY_SECONDS).build();
  }

  private long newest(SessionId session) {
    return Optional.ofNullable(store.newest(Set.of(session)).get(session))
        .orElseThrow(() -> Refusal.notFound("session", session));
  }

  /**
   * A position after the newest event belongs to another session: a client that waited for it would
   * miss events.
   */
  private static long checked(String field, long position, long newest) {
    if (position < 0 || position > newest) {
      throw Refusal.invalid(field, "must be the id of an event of this session");
    }
    return position;
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
