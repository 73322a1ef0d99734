package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.http.Refusal;
import dev.errand.session.SentRequests;
import dev.errand.view.SentViews;
import dev.errand.view.SentViews.SentView;
import io.quarkus.vertx.http.Compressed;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;

/** What was sent to a model to get an answer. */
@Path("/v1/sessions/{id}/messages/{seq}/sent")
@RunOnVirtualThread
class SentResource {

  private final SentRequests kept;
  private final SentViews views;

  SentResource(SentRequests kept, SentViews views) {
    this.kept = kept;
    this.views = views;
  }

  @GET
  @Compressed
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public SentView get(@PathParam("id") SessionId id, @PathParam("seq") @Min(1) long seq) {
    return views
        .find(id, seq)
        .orElseThrow(() -> new Refusal(Status.NOT_FOUND, whyMissing(id, seq), List.of()));
  }

  private String whyMissing(SessionId id, long seq) {
    return kept.areKept()
        ? "No request is kept for message %d of %s: requests that a model answered are kept for the time errand.sent.keep."
            .formatted(seq, id)
        : "This service does not keep the requests that it sends to models (errand.sent.keep).";
  }
}
