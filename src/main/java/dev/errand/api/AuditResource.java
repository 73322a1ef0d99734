package dev.errand.api;

import dev.errand.auth.Roles;
import dev.errand.conversation.AuditId;
import dev.errand.conversation.SessionId;
import dev.errand.http.Page;
import dev.errand.view.AuditViews;
import dev.errand.view.AuditViews.AuditFilter;
import dev.errand.view.AuditViews.AuditView;
import dev.errand.view.Listing;
import dev.errand.view.Period;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import org.jspecify.annotations.Nullable;

/** The audit: who did what. */
@Path("/v1/audit")
@RunOnVirtualThread
class AuditResource {

  private final AuditViews views;

  AuditResource(AuditViews views) {
    this.views = views;
  }

  @GET
  @RolesAllowed(Roles.OPERATOR)
  public Page<AuditView> list(
      @QueryParam("subject") @Nullable String subject,
      @QueryParam("action") @Nullable String action,
      @QueryParam("session_id") @Nullable SessionId session,
      @QueryParam("after") @Nullable String after,
      @QueryParam("before") @Nullable String before,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable AuditId cursor) {
    var at =
        new Period(
            ListParameters.instant("after", after), ListParameters.instant("before", before));
    var found =
        views.page(
            new AuditFilter(subject, action, session, at),
            new Listing(Listing.Order.NEWEST_FIRST, cursor == null ? null : cursor.value(), limit));
    return Page.of(found, row -> row.id().toString());
  }
}
