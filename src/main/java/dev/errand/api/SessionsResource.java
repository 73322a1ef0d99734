package dev.errand.api;

import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.retention.SessionRemover;
import dev.errand.retention.SessionRemover.NoticeOwedException;
import dev.errand.session.Session;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.session.TodoStore;
import dev.errand.task.TaskStopper;
import dev.errand.tool.FieldProblem;
import dev.errand.view.Listing;
import dev.errand.view.SessionSummary;
import dev.errand.view.SessionView;
import dev.errand.view.SessionViews;
import dev.errand.view.SessionViews.SessionFilter;
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
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.Map;
import org.jboss.resteasy.reactive.Separator;
import org.jspecify.annotations.Nullable;

/** Sessions: list, get, cancel, resume, delete. */
@Path("/v1/sessions")
@RunOnVirtualThread
class SessionsResource {

  private final SessionStore sessions;
  private final SessionViews views;
  private final TaskViews tasks;
  private final TaskStopper stopper;
  private final SessionRemover remover;
  private final TodoStore todos;
  private final SessionHandover handover;
  private final Audit audit;

  SessionsResource(
      SessionStore sessions,
      SessionViews views,
      TaskViews tasks,
      TaskStopper stopper,
      SessionRemover remover,
      TodoStore todos,
      SessionHandover handover,
      Audit audit) {
    this.sessions = sessions;
    this.views = views;
    this.tasks = tasks;
    this.stopper = stopper;
    this.remover = remover;
    this.todos = todos;
    this.handover = handover;
    this.audit = audit;
  }

  /** The number of tasks that were cancelled. */
  record Cancelled(int cancelled) {}

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Page<SessionSummary> list(
      @QueryParam("parent_id") @Nullable SessionId parent,
      @QueryParam("root_id") @Nullable SessionId root,
      @QueryParam("roots") @DefaultValue("false") boolean roots,
      @QueryParam("state") @Separator(",") List<SessionState> states,
      @QueryParam("agent") @Size(max = 100) @Nullable String agent,
      @QueryParam("kind") @Nullable SessionKind kind,
      @QueryParam("q") @Size(max = 200) @Nullable String q,
      @BeanParam ListParameters list,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable SessionId cursor,
      @Context UriInfo request) {
    var metadata = ListParameters.metadata(request);
    var filter =
        new SessionFilter(parent, root, roots, states, agent, kind, q, metadata, list.created());
    var page = list.page(cursor == null ? null : cursor.value(), limit);
    return Page.of(views.page(filter, page), session -> session.id().toString());
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{id}")
  public SessionView get(@PathParam("id") SessionId id) {
    return views.find(id).orElseThrow(() -> Refusal.notFound("session", id));
  }

  @DELETE
  @RolesAllowed(Roles.AGENT)
  @Path("{id}")
  public void delete(@PathParam("id") String id) {
    try {
      SessionId.parse(id).ifPresent(remover::remove);
    } catch (NoticeOwedException owed) {
      throw new Refusal(
          Response.Status.CONFLICT,
          "The end of a task has not been delivered yet to a session outside of this one; see"
              + " /v1/deliveries.",
          List.of());
    }
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Path("{id}/cancel")
  public Cancelled cancel(@PathParam("id") SessionId id) {
    return new Cancelled(stopper.cancelSession(find(id).id()));
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Path("{id}/resume")
  public Response resume(@PathParam("id") SessionId id) {
    if (find(id).state() == SessionState.CLOSED) {
      throw new Refusal(
          Response.Status.CONFLICT,
          "The session is closed.",
          List.of(new FieldProblem("id", "session_closed: the session cannot be resumed")));
    }
    QuarkusTransaction.requiringNew()
        .run(() -> {
          handover.resumeAtRest(id);
          audit.record("session.resume", id, null, Map.of());
        });
    return Response.accepted(get(id)).build();
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{id}/tasks")
  public Page<TaskView> tasks(
      @PathParam("id") SessionId id,
      @QueryParam("tree") @DefaultValue("false") boolean tree,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable TaskId cursor) {
    var session = find(id);
    var delegated =
        tree && session.parent() == null
            ? TaskFilter.within(id)
            : TaskFilter.delegatedBy(tree ? sessions.subtree(id) : List.of(id));
    var from = cursor == null ? null : cursor.value();
    var page = new Listing(Listing.Order.NEWEST_FIRST, from, limit);
    var found = tasks.page(delegated, page);
    return Page.of(found, task -> task.id().toString());
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Path("{id}/todos")
  public Page<TodoStore.Todo> todos(@PathParam("id") SessionId id) {
    return Page.whole(todos.list(find(id).id()));
  }

  private Session find(SessionId id) {
    return sessions.find(id).orElseThrow(() -> Refusal.notFound("session", id));
  }
}
