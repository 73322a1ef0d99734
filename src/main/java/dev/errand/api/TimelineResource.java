package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.http.Page;
import dev.errand.view.StepViews;
import io.quarkus.vertx.http.Compressed;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import org.jboss.resteasy.reactive.Separator;

/** The steps of sessions of one tree. */
@Path("/v1/timeline")
@RunOnVirtualThread
class TimelineResource {

  private final StepViews steps;

  TimelineResource(StepViews steps) {
    this.steps = steps;
  }

  @GET
  @Compressed
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Page<StoredEvent> list(
      @QueryParam("sessions") @Separator(",") @Size(max = 100) List<SessionId> sessions,
      @QueryParam("after") @DefaultValue("0") @Min(0) long after,
      @QueryParam("limit") @DefaultValue("2000") @Min(1) @Max(5000) int limit) {
    return Page.of(steps.page(sessions, after, limit), step -> Long.toString(step.number()));
  }
}
