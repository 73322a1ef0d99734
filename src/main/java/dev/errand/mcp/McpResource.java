package dev.errand.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.auth.Roles;
import dev.errand.mcp.McpMetrics.Outcome;
import dev.errand.trace.Spans;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerResponse;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
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
@RunOnVirtualThread
class McpResource {

  private static final int MAX_WAIT_MS = 600_000;

  private final ObjectMapper json;
  private final Methods methods;
  private final Documents documents;
  private final McpStreams streams;
  private final ReadAnswers answers;
  private final McpMetrics metrics;
  private final McpServerConfig config;
  private final Spans spans;

  McpResource(
      ObjectMapper json,
      Methods methods,
      Documents documents,
      McpStreams streams,
      ReadAnswers answers,
      McpMetrics metrics,
      McpServerConfig config,
      Spans spans) {
    this.json = json;
    this.methods = methods;
    this.documents = documents;
    this.streams = streams;
    this.answers = answers;
    this.metrics = metrics;
    this.config = config;
    this.spans = spans;
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  public Response post(
      @Context HttpHeaders headers,
      @Context HttpServerResponse response,
      @QueryParam("wait_ms") @Min(0) @Max(MAX_WAIT_MS) @Nullable Integer waitMs,
      byte @Nullable [] body) {
    requireServed();
    Incoming message;
    try {
      message = Incoming.read(json, body);
    } catch (Fault fault) {
      metrics.answered("other", Outcome.FAULT);
      return answer(fault.status(), documents.fault(fault.id(), fault));
    }
    return switch (message) {
      case Incoming.Notification notification -> {
        metrics.answered(notification.method(), Outcome.OK);
        yield Response.accepted().build();
      }
      case Incoming.Request request -> answer(request, CallHeaders.of(headers), waitMs, response);
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
    requireServed();
    return Response.status(Status.METHOD_NOT_ALLOWED).header("Allow", "POST").build();
  }

  private void requireServed() {
    if (!config.enabled()) {
      throw new NotFoundException();
    }
  }

  private Response answer(
      Incoming.Request request,
      CallHeaders headers,
      @Nullable Integer waitMs,
      HttpServerResponse response) {
    var wait = waitMs == null ? null : Duration.ofMillis(waitMs);
    try {
      var call = Checks.check(request, headers);
      Reply reply;
      try (var span = spans.mcp(call.method(), call.traceParent())) {
        reply = span.watch(() -> methods.answer(call, wait));
      }
      return switch (reply) {
        case Reply.Result result -> answer(call, result);
        case Reply.Held held ->
            streams
                .open(call, held, response)
                .orElseGet(() -> answer(call, streams.withoutPlace(held)));
      };
    } catch (Fault fault) {
      metrics.answered(request.method(), Outcome.FAULT);
      return answer(fault.status(), documents.fault(request.id(), fault));
    }
  }

  private Response answer(McpCall call, Reply.Result result) {
    var isError = result.result().path("isError").asBoolean();
    metrics.answered(call.method(), isError ? Outcome.TOOL_ERROR : Outcome.OK);
    answers.afterwards(result);
    return answer(Status.OK.getStatusCode(), documents.result(call, result.result()));
  }

  private static Response answer(int status, ObjectNode document) {
    return Response.status(status).type(MediaType.APPLICATION_JSON_TYPE).entity(document).build();
  }
}
