package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.http.Refusal;
import dev.errand.view.TreeViews;
import dev.errand.view.TreeViews.Tree;
import io.quarkus.vertx.http.Compressed;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

/** Trees of sessions. */
@Path("/v1/sessions/{id}/tree")
@RunOnVirtualThread
@RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
class TreeResource {

  private final TreeViews trees;

  TreeResource(TreeViews trees) {
    this.trees = trees;
  }

  @GET
  @Compressed
  public Tree tree(
      @PathParam("id") SessionId id,
      @QueryParam("limit") @DefaultValue("5000") @Min(1) @Max(5000) int limit) {
    return trees.containing(id, limit).orElseThrow(() -> Refusal.notFound("session", id));
  }
}
