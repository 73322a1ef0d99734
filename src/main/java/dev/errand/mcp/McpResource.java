package dev.errand.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.auth.Roles;
import dev.errand.http.AfterResponse;
import dev.errand.mcp.McpMetrics.MessageOutcome;
import dev.errand.outbox.DeliveryState;
import dev.errand.task.Task;
import dev.errand.trace.Spans;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The MCP endpoint, for the transport Streamable HTTP. It issues no session ids. */
@Path("/mcp")
@EndpointDisabled(name = "errand.mcp-server.enabled", stringValue = "false")
@RunOnVirtualThread
class McpResource {

  private static final int MAX_WAIT_MS = 600_000;

  private final ObjectMapper json;
  private final Methods methods;
  private final Documents documents;
  private final StreamedCalls calls;
  private final KnownTasks known;
  private final AfterResponse afterResponse;
  private final McpMetrics metrics;
  private final Spans spans;

  McpResource(
      ObjectMapper json,
      Methods methods,
      Documents documents,
      StreamedCalls calls,
      KnownTasks known,
      AfterResponse afterResponse,
      McpMetrics metrics,
      Spans spans) {
    this.json = json;
    this.methods = methods;
    this.documents = documents;
    this.calls = calls;
    this.known = known;
    this.afterResponse = afterResponse;
    this.metrics = metrics;
    this.spans = spans;
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  public Response post(
      @Context HttpHeaders headers,
      @Context RoutingContext exchange,
      @QueryParam("wait_ms") @Min(0) @Max(MAX_WAIT_MS) @Nullable Integer waitMs,
      byte @Nullable [] body) {
    Incoming message;
    try {
      message = Incoming.read(json, body);
    } catch (Fault fault) {
      metrics.answered("other", MessageOutcome.FAULT);
      return answer(fault.status(), documents.fault(fault.id(), fault));
    }
    return switch (message) {
      case Incoming.Notification notification -> {
        metrics.answered(notification.method(), MessageOutcome.OK);
        yield Response.accepted().build();
      }
      case Incoming.Request request -> answer(request, headers, waitMs, exchange);
    };
  }

  /** There are no streams without a call. */
  @GET
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  public Response get() {
    return onlyPost();
  }

  /** There are no sessions to end. */
  @DELETE
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  public Response delete() {
    return onlyPost();
  }

  private Response onlyPost() {
    return Response.status(Status.METHOD_NOT_ALLOWED).header("Allow", "POST").build();
  }

  private Response answer(
      Incoming.Request request,
      HttpHeaders headers,
      @Nullable Integer waitMs,
      RoutingContext exchange) {
    var wait = waitMs == null ? null : Duration.ofMillis(waitMs);
    try {
      var call = Checks.check(request, headers);
      Reply reply;
      try (var span = spans.mcp(call.method(), call.traceParent())) {
        reply = span.watch(() -> methods.answer(call, wait));
      }
      return switch (reply) {
        case Reply.Result result -> answer(call, result);
        case Reply.OnStream open ->
            calls.open(call, open, exchange).orElseGet(() -> answer(call, calls.started(open)));
      };
    } catch (Fault fault) {
      metrics.answered(request.method(), MessageOutcome.FAULT);
      return answer(fault.status(), documents.fault(request.id(), fault));
    }
  }

  private Response answer(McpCall call, Reply.Result result) {
    var isError = result.result().path("isError").asBoolean();
    metrics.answered(call.method(), isError ? MessageOutcome.TOOL_ERROR : MessageOutcome.OK);
    result.read().ifPresent(this::countsAsRead);
    return answer(Status.OK.getStatusCode(), documents.result(call, result.result()));
  }

  /** The notice of a result is consumed after the response, unless it was consumed before. */
  private void countsAsRead(Task ended) {
    if (ended.delivery().filter(DeliveryState.CONSUMED::equals).isEmpty()) {
      afterResponse.run(() -> known.received(ended), () -> {});
    }
  }

  private static Response answer(int status, ObjectNode document) {
    return Response.status(status).type(MediaType.APPLICATION_JSON_TYPE).entity(document).build();
  }
}
