package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.view.AttentionViews;
import dev.errand.view.AttentionViews.Attention;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** What needs the attention of an operator. */
@Path("/v1/attention")
@RunOnVirtualThread
class AttentionResource {

  private final AttentionViews views;

  AttentionResource(AttentionViews views) {
    this.views = views;
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Attention get() {
    return views.read();
  }
}
