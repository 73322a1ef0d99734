package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.delegate.TaskOutputView;
import dev.errand.http.ClientLimits;
import dev.errand.http.IdempotencyHeader;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.task.ResultReads;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStopper;
import dev.errand.task.TaskStore;
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
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jboss.resteasy.reactive.Separator;
import org.jspecify.annotations.Nullable;

/** Tasks: delegates over HTTP, and shows, cancels and acknowledges tasks. */
@Path("/v1/tasks")
@RunOnVirtualThread
class TasksResource {

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
  public Response submit(
      @BeanParam IdempotencyHeader key, @HeaderParam("Prefer") List<String> prefer, JsonNode body)
      throws JsonProcessingException {
    return endpoint.submit(key, prefer, body);
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Page<TaskView> list(
      @QueryParam("parent_session_id") @Nullable SessionId parent,
      @QueryParam("root_session_id") @Nullable SessionId root,
      @QueryParam("state") @Separator(",") List<TaskState> states,
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
  public TaskView get(
      @PathParam("id") TaskId id,
      @QueryParam("wait_ms") @DefaultValue("0") @Min(0) @Max(60_000) int waitMs) {
    return view(awaited(id, waitMs).id());
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{id}/output")
  public TaskOutputView output(
      @PathParam("id") TaskId id,
      @QueryParam("wait_ms") @DefaultValue("0") @Min(0) @Max(60_000) int waitMs) {
    return TaskOutputView.of(awaited(id, waitMs));
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Path("{id}/cancel")
  public TaskView cancel(@PathParam("id") TaskId id) {
    return view(stopper.cancel(id).orElseThrow(() -> unknown(id)).id());
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Path("{id}/ack")
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
