package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.view.StepViews;
import dev.errand.view.TreeViews;
import dev.errand.view.TreeViews.Tree;
import io.quarkus.vertx.http.Compressed;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import org.jboss.resteasy.reactive.Separator;

/** Trees of sessions, and the steps of their sessions. */
@Path("/v1")
@RunOnVirtualThread
@RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
class TreeResource {

  private final TreeViews trees;
  private final StepViews steps;

  TreeResource(TreeViews trees, StepViews steps) {
    this.trees = trees;
    this.steps = steps;
  }

  @GET
  @Compressed
  @Path("sessions/{id}/tree")
  public Tree tree(
      @PathParam("id") SessionId id,
      @QueryParam("limit") @DefaultValue("5000") @Min(1) @Max(5000) int limit) {
    return trees.containing(id, limit).orElseThrow(() -> Refusal.notFound("session", id));
  }

  @GET
  @Compressed
  @Path("timeline")
  public Page<StoredEvent> timeline(
      @QueryParam("sessions") @Separator(",") @Size(max = 100) List<SessionId> sessions,
      @QueryParam("after") @DefaultValue("0") @Min(0) long after,
      @QueryParam("limit") @DefaultValue("2000") @Min(1) @Max(5000) int limit) {
    return Page.of(steps.page(sessions, after, limit), step -> Long.toString(step.number()));
  }
}
