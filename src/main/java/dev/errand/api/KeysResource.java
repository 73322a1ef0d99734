package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.api.http.Page;
import dev.errand.api.http.Refusal;
import dev.errand.api.http.RequestBodies;
import dev.errand.auth.ApiKeys;
import dev.errand.auth.ApiKeys.ApiKey;
import dev.errand.auth.Role;
import dev.errand.auth.Roles;
import dev.errand.tenant.Tenant;
import dev.errand.tenant.TenantStore;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The keys of clients. */
@Path("/v1/keys")
@RunOnVirtualThread
@RolesAllowed(Roles.ADMIN)
@Tag(name = "Keys")
class KeysResource {

  private final RequestBodies bodies;
  private final ApiKeys keys;
  private final TenantStore tenants;
  private final Clock clock;

  KeysResource(RequestBodies bodies, ApiKeys keys, TenantStore tenants, Clock clock) {
    this.tenants = tenants;
    this.bodies = bodies;
    this.keys = keys;
    this.clock = clock;
  }

  /**
   * Body of the POST.
   *
   * @param tenant null: default
   * @param expiresAt null: the key does not expire
   */
  record NewKey(
      @NotBlank(message = "is required")
          @Size(max = 200, message = "must have at most 200 characters")
          String name,
      @Schema(enumeration = {"viewer", "agent", "operator", "admin", "metrics"})
          @NotBlank(message = "is required")
          @Pattern(
              regexp = "^(viewer|agent|operator|admin|metrics)$",
              message = "must be viewer, agent, operator, admin or metrics")
          String role,
      @Schema(pattern = Tenant.NAME)
          @Nullable
          @Size(max = 63, message = "must have at most 63 characters")
          String tenant,
      @Schema(format = "date-time") @Nullable String expiresAt) {}

  /**
   * A new key.
   *
   * @param key what its client sends; shown only here
   */
  record MadeKey(
      String id,
      String key,
      String name,
      Role role,
      String tenant,
      @Nullable Instant expiresAt,
      Instant createdAt) {}

  @POST
  @Consumes("application/json")
  @Operation(
      summary = "Make a key; only this answer shows it",
      description = "Clients send it as `Authorization: Bearer err_…`.")
  @RequestBody(content = @Content(schema = @Schema(implementation = NewKey.class)))
  @APIResponse(
      responseCode = "201",
      description = "Made",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = MadeKey.class)))
  public Response make(JsonNode body) throws JsonProcessingException {
    var asked = bodies.read(body, NewKey.class);
    var role = Role.parse(asked.role()).orElseThrow();
    var tenant = tenant(Objects.requireNonNullElse(asked.tenant(), Tenant.DEFAULT));
    if (role == Role.ADMIN && !tenant.equals(Tenant.DEFAULT)) {
      throw Refusal.invalid(
          "role",
          "administrators belong to the tenant default, because they manage all tenants; use"
              + " operator");
    }
    var made = keys.make(asked.name(), role, tenant, expiry(asked.expiresAt()));
    var key = made.key();
    var view =
        new MadeKey(
            key.id(),
            made.secret(),
            key.name(),
            key.role(),
            key.tenant(),
            key.expiresAt(),
            key.createdAt());
    return Response.created(URI.create("/v1/keys/" + key.id()))
        .header("Cache-Control", "no-store")
        .entity(view)
        .build();
  }

  private String tenant(String id) {
    return tenants
        .find(id)
        .map(Tenant::id)
        .orElseThrow(() ->
            Refusal.invalid("tenant", "there is no such tenant; PUT /v1/tenants/{id} creates one"));
  }

  private @Nullable Instant expiry(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      var instant = Rfc3339.instant(text);
      if (instant.isAfter(clock.instant())) {
        return instant;
      }
    } catch (DateTimeException notAnInstant) {
      // refused below
    }
    throw Refusal.invalid(
        "expires_at", "must be a future instant as in RFC 3339, for example 2030-01-31T12:00:00Z");
  }

  @GET
  @Operation(summary = "List all keys, without their secrets, the oldest first")
  public Page<ApiKey> list() {
    return Page.whole(keys.list());
  }

  @DELETE
  @Path("{id}")
  @Operation(
      summary = "Revoke a key (idempotent)",
      description =
          "Within 5 seconds no node accepts it or a session token that it made any more, and their"
              + " open streams and waiting requests are closed. The sessions that it has opened"
              + " stay.")
  @APIResponse(responseCode = "204", description = "Revoked")
  public void revoke(@PathParam("id") String id) {
    keys.revoke(id);
  }
}
