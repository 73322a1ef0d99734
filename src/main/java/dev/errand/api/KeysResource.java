package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.ApiKeys;
import dev.errand.auth.ApiKeys.ApiKey;
import dev.errand.auth.Role;
import dev.errand.auth.Roles;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
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
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The keys of clients. */
@Path("/v1/keys")
@RunOnVirtualThread
@RolesAllowed(Roles.ADMIN)
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
   * The body of the POST.
   *
   * @param tenant null: default
   * @param expiresAt null: the key does not expire
   */
  record NewKey(
      @NotBlank(message = "is required")
          @Size(max = 200, message = "must have at most 200 characters")
          String name,
      @NotBlank(message = "is required")
          @Pattern(
              regexp = "^(viewer|agent|operator|admin|metrics)$",
              message = "must be viewer, agent, operator, admin or metrics")
          String role,
      @Nullable @Size(max = 63, message = "must have at most 63 characters") String tenant,
      @Nullable String expiresAt) {}

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
  public Page<ApiKey> list() {
    return Page.whole(keys.list());
  }

  @DELETE
  @Path("{id}")
  public void revoke(@PathParam("id") String id) {
    keys.revoke(id);
  }
}
