package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.event.Deltas;
import dev.errand.event.EventStore;
import dev.errand.event.EventWaiters;
import dev.errand.http.ClientLimits;
import dev.errand.http.OpenStreams;
import dev.errand.http.OpenStreams.EventConfig;
import dev.errand.http.ProblemMappers;
import dev.errand.http.Refusal;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
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
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/** The events of a session, as server-sent events. */
@Path("/v1/sessions/{id}/events")
@RunOnVirtualThread
class EventsResource {

  private static final String RETRY_SECONDS = "5";

  private final EventStore store;
  private final OpenStreams streams;
  private final ClientLimits limits;
  private final EventStream.EventSource log;

  EventsResource(
      EventStore store,
      EventWaiters waits,
      Deltas deltas,
      OpenStreams streams,
      ClientLimits limits,
      EventConfig config) {
    this.store = store;
    this.streams = streams;
    this.limits = limits;
    this.log = new EventStream.EventSource(store, waits, deltas, config.keepAlive());
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
      @QueryParam("deltas") @DefaultValue("false") boolean deltas,
      @QueryParam("after") @DefaultValue("0") @Min(0) long after,
      @HeaderParam("Last-Event-ID") @Nullable Long lastEventId,
      @Context RoutingContext request) {
    var scope = new EventStore.EventScope(id, tree);
    var newest = newest(scope.session());
    var position =
        lastEventId == null
            ? checked("after", after, newest)
            : checked("Last-Event-ID", lastEventId, newest);
    if (streams.areTooMany()) {
      throw new TooManyStreams();
    }
    var wanted = new EventStream.StreamRequest(scope, position, deltas);
    return streams.answer(
        request,
        limits.streaming(),
        writer -> new EventStream(log, wanted, writer, streams::areStopping).run());
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
}
