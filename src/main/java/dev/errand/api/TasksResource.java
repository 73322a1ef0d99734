package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.api.http.ClientLimits;
import dev.errand.api.http.IdempotencyHeader;
import dev.errand.api.http.Page;
import dev.errand.api.http.Refusal;
import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.delegate.TaskOutputView;
import dev.errand.task.ResultReads;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStopper;
import dev.errand.task.TaskStore;
import dev.errand.task.TaskToolResult;
import dev.errand.task.TaskWaiters;
import dev.errand.view.TaskView;
import dev.errand.view.TaskViews;
import dev.errand.view.TaskViews.TaskFilter;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.Explode;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.Separator;
import org.jspecify.annotations.Nullable;

/** Tasks: delegates over HTTP, and shows, cancels and acknowledges tasks. */
@Path("/v1/tasks")
@RunOnVirtualThread
@Tag(name = "Tasks")
class TasksResource {

  private static final String READ_ONLY =
      "Changes nothing: a result counts as read after `POST /v1/tasks/{id}/ack`.";

  private final TaskEndpoint endpoint;
  private final TaskStore tasks;
  private final TaskViews views;
  private final TaskWaiters waits;
  private final ClientLimits limits;
  private final ResultReads reads;
  private final TaskStopper stopper;
  private final Audit audit;

  TasksResource(
      TaskEndpoint endpoint,
      TaskStore tasks,
      TaskViews views,
      TaskWaiters waits,
      ClientLimits limits,
      ResultReads reads,
      TaskStopper stopper,
      Audit audit) {
    this.endpoint = endpoint;
    this.tasks = tasks;
    this.views = views;
    this.waits = waits;
    this.limits = limits;
    this.reads = reads;
    this.stopper = stopper;
    this.audit = audit;
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  @Operation(
      summary = "Delegate a task; the same Idempotency-Key and body give the same task for 7 days")
  @RequestBody(content = @Content(schema = @Schema(implementation = NewTaskBody.class)))
  @APIResponse(
      responseCode = "202",
      description = "Accepted to run in the background, or not ended within the time to wait",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = TaskToolResult.class)))
  @APIResponse(
      responseCode = "200",
      description = "Ended",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = TaskToolResult.class)))
  @APIResponse(
      responseCode = "422",
      description =
          "A limit of the root session allows no further delegation (depth, number, background"
              + " tasks), or the idempotency key was used for another request")
  @APIResponse(
      responseCode = "429",
      description =
          "Too many tasks are pending, or run for this parent, or a quota of the tenant is used up;"
              + " nothing was accepted. Try again after Retry-After seconds")
  @APIResponse(responseCode = "404", description = "The parent session does not exist")
  @APIResponse(
      responseCode = "409",
      description =
          "The child session has a live task already, or another request with this idempotency key"
              + " has not ended yet")
  public Response submit(
      @BeanParam IdempotencyHeader key,
      @Parameter(schema = @Schema(implementation = String.class)) @HeaderParam("Prefer")
          List<String> prefer,
      JsonNode body)
      throws JsonProcessingException {
    return endpoint.submit(key, prefer, body);
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Operation(
      summary = "List tasks, newest first",
      description =
          "`state` takes several states, separated by commas. `q` finds tasks whose description or"
              + " label contains all its words, among the newest 10,000 tasks. A page has at most"
              + " 4 MiB; `next_cursor` is null on the last page.")
  public Page<TaskView> list(
      @QueryParam("parent_session_id") @Nullable SessionId parent,
      @QueryParam("root_session_id") @Nullable SessionId root,
      @Parameter(explode = Explode.FALSE) @QueryParam("state") @Separator(",")
          List<TaskState> states,
      @QueryParam("subagent_type") @Size(max = 100) @Nullable String subagentType,
      @QueryParam("label") @Size(max = 100) @Nullable String label,
      @QueryParam("q") @Size(max = 200) @Nullable String q,
      @BeanParam ListParameters list,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable TaskId cursor) {
    var parents = parent == null ? List.<SessionId>of() : List.of(parent);
    var filter = new TaskFilter(parents, root, states, subagentType, label, q, list.created());
    var page = list.page(cursor == null ? null : cursor.value(), limit);
    return Page.of(views.page(filter, page), task -> task.id().toString());
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{id}")
  @Operation(summary = "Get a task; with wait_ms, wait for its end", description = READ_ONLY)
  public TaskView get(
      @PathParam("id") TaskId id,
      @QueryParam("wait_ms") @DefaultValue("0") @Min(0) @Max(60_000) int waitMs) {
    return view(awaited(id, waitMs).id());
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{id}/output")
  @Operation(summary = "Get the result of a task", description = READ_ONLY)
  public TaskOutputView output(
      @PathParam("id") TaskId id,
      @QueryParam("wait_ms") @DefaultValue("0") @Min(0) @Max(60_000) int waitMs) {
    return TaskOutputView.of(awaited(id, waitMs));
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Path("{id}/cancel")
  @Operation(summary = "Cancel a task and its subtree; a task that has ended is not changed")
  public TaskView cancel(@PathParam("id") TaskId id) {
    return view(stopper.cancel(id).orElseThrow(() -> unknown(id)).id());
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Path("{id}/ack")
  @Operation(
      summary = "Acknowledge the result of a task: it counts as read (idempotent)",
      description =
          "A notice that was not delivered yet is not sent any more, one that the parent has not"
              + " read is withdrawn, and a child with `cleanup: delete` can be cleaned up. The"
              + " answer to a tool call of a hosted parent is delivered in any case.")
  @APIResponse(responseCode = "200", description = "The task")
  @APIResponse(responseCode = "409", description = "The task has not ended")
  public TaskView acknowledge(@PathParam("id") TaskId id) {
    var task = find(id);
    if (task.outcome().isEmpty()) {
      throw new Refusal(
          Status.CONFLICT, "The task has not ended; there is no result yet.", List.of());
    }
    QuarkusTransaction.requiringNew()
        .run(() -> {
          if (reads.consume(task)) {
            audit.record("task.ack", task.parent(), id, Map.of());
          }
        });
    return view(id);
  }

  private Task awaited(TaskId id, int waitMs) {
    var found = find(id);
    if (found.outcome().isPresent() || waitMs == 0) {
      return found;
    }
    var limit = Duration.ofMillis(waitMs);
    try (var _ = limits.waiting(limit)) {
      waits.awaitEnd(id, limit);
    }
    return find(id);
  }

  private TaskView view(TaskId id) {
    return views.find(id).orElseThrow(() -> unknown(id));
  }

  private Task find(TaskId id) {
    return tasks.find(id).orElseThrow(() -> unknown(id));
  }

  private static Refusal unknown(TaskId id) {
    return Refusal.notFound("task", id);
  }
}
