package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.api.http.Page;
import dev.errand.api.http.Refusal;
import dev.errand.api.http.RequestBodies;
import dev.errand.auth.Caller;
import dev.errand.auth.Callers;
import dev.errand.auth.Role;
import dev.errand.auth.Roles;
import dev.errand.conversation.PauseId;
import dev.errand.model.LanguageModels;
import dev.errand.pause.Pause;
import dev.errand.pause.Pause.Scope;
import dev.errand.pause.Pauses;
import dev.errand.tenant.Tenant;
import dev.errand.tenant.TenantStore;
import dev.errand.view.Slice;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Pauses: operators stop runs temporarily. */
@Path("/v1/pauses")
@RunOnVirtualThread
@RolesAllowed(Roles.OPERATOR)
@Tag(name = "Pauses")
class PausesResource {

  private final RequestBodies bodies;
  private final Pauses pauses;
  private final Callers callers;
  private final Agents agents;
  private final LanguageModels models;
  private final TenantStore tenants;

  PausesResource(
      RequestBodies bodies,
      Pauses pauses,
      Callers callers,
      Agents agents,
      LanguageModels models,
      TenantStore tenants) {
    this.bodies = bodies;
    this.pauses = pauses;
    this.callers = callers;
    this.agents = agents;
    this.models = models;
    this.tenants = tenants;
  }

  /**
   * Body of the POST.
   *
   * @param name of the tenant, the agent or the provider; null for {@code all}
   */
  @Schema(ifSchema = PauseOfOne.class, thenSchema = NamedPause.class)
  record NewPause(
      @Schema(enumeration = {"agent", "provider", "tenant", "all"})
          @NotBlank(message = "is required")
          @Pattern(
              regexp = "^(agent|provider|tenant|all)$",
              message = "must be agent, provider, tenant or all")
          String scope,
      @Nullable @Size(max = 200, message = "must have at most 200 characters") String name,
      @NotBlank(message = "is required: it is shown with every session that waits")
          @Size(max = 500, message = "must have at most 500 characters")
          String reason) {}

  /** The scopes of which there are several. */
  record PauseOfOne(
      @Schema(
              enumeration = {"agent", "provider", "tenant"},
              required = true)
          String scope) {}

  /** What a pause of such a scope needs. */
  record NamedPause(@Schema(required = true) String name) {}

  @POST
  @Consumes("application/json")
  @Operation(
      summary = "Pause everything, a tenant, an agent or a provider of models",
      description =
          "New runs wait, and running ones stop at their next turn boundary, within a second on every"
              + " node. Tasks and messages are still accepted, and nothing is lost: everything"
              + " continues when the last pause that holds it ends. `all` and `tenant` need the role"
              + " admin. An agent is paused in the tenant of the caller; so is a provider, unless the"
              + " caller is an admin: then it is paused for all tenants.")
  @RequestBody(content = @Content(schema = @Schema(implementation = NewPause.class)))
  @APIResponse(
      responseCode = "201",
      description = "Paused",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Pause.class)))
  @APIResponse(responseCode = "409", description = "The tenant has too many pauses")
  public Response begin(JsonNode body) throws JsonProcessingException {
    var asked = bodies.read(body, NewPause.class);
    var scope = Scope.of(asked.scope());
    requireRight(scope);
    var name = name(scope, asked.name());
    var pause =
        pauses
            .begin(scope, name, tenant(scope, name), asked.reason())
            .orElseThrow(() ->
                new Refusal(
                    Response.Status.CONFLICT,
                    "There are " + Pauses.MOST + " such pauses already. End some of them first.",
                    List.of()));
    return Response.created(URI.create("/v1/pauses/" + pause.id())).entity(pause).build();
  }

  @GET
  @Operation(
      summary = "List the pauses in force, newest first",
      description =
          "For an admin those of all tenants, for an operator those that hold sessions of its"
              + " tenant.")
  public Page<Pause> list(
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable PauseId cursor) {
    var found =
        pauses.read().reversed().stream()
            .filter(pause -> isAdmin() || pause.tenant() == null || isOwn(pause))
            .filter(pause -> cursor == null || pause.id().isBefore(cursor))
            .limit(limit + 1L)
            .toList();
    var more = found.size() > limit;
    var shown = found.subList(0, Math.min(limit, found.size()));
    return Page.of(new Slice<>(shown, more), pause -> pause.id().toString());
  }

  @DELETE
  @Path("{id}")
  @Operation(
      summary = "End a pause (idempotent)",
      description =
          "What only this pause held continues at once: first the runs that it stopped, then those"
              + " that could not begin. A pause of a whole tenant or of all tenants needs the role"
              + " admin.")
  @APIResponse(responseCode = "204", description = "Ended")
  public void end(
      @Parameter(schema = @Schema(implementation = PauseId.class)) @PathParam("id") String id) {
    var found =
        pauses.read().stream().filter(pause -> pause.id().toString().equals(id)).findFirst();
    if (found.filter(pause -> isAdmin() || pause.tenant() == null || isOwn(pause)).isEmpty()) {
      return;
    }
    if (!isAdmin() && (found.get().tenant() == null || found.get().scope() == Scope.TENANT)) {
      throw forbidden("A pause that an admin made for a whole tenant or for all tenants");
    }
    pauses.end(found.get().id());
  }

  private void requireRight(Scope scope) {
    if (!isAdmin() && (scope == Scope.ALL || scope == Scope.TENANT)) {
      throw forbidden("The scope " + scope.word());
    }
  }

  private static Refusal forbidden(String what) {
    return new Refusal(
        Response.Status.FORBIDDEN, what + " needs a caller with the role admin.", List.of());
  }

  /** An unknown name would pause nothing, without an error. */
  private @Nullable String name(Scope scope, @Nullable String asked) {
    if (scope == Scope.ALL) {
      if (asked != null) {
        throw Refusal.invalid("name", "must be left out: the scope all has no name");
      }
      return null;
    }
    var name = asked == null ? "" : asked.strip();
    return switch (scope) {
      case AGENT ->
          agents
              .of(caller().tenant())
              .find(name)
              .map(AgentDefinition::name)
              .orElseThrow(() ->
                  unknown(
                      "agent",
                      agents.of(caller().tenant()).all().stream()
                          .map(AgentDefinition::name)
                          .toList()));
      case PROVIDER -> known("provider", name, models.providers());
      case TENANT -> known("tenant", name, tenants.all().stream().map(Tenant::id).toList());
      case ALL -> throw new IllegalStateException("has no name");
    };
  }

  private static String known(String what, String name, List<String> all) {
    if (!all.contains(name)) {
      throw unknown(what, all);
    }
    return name;
  }

  private static Refusal unknown(String what, List<String> all) {
    return Refusal.invalid(
        "name", "must be the name of a known %s: %s".formatted(what, String.join(", ", all)));
  }

  private @Nullable String tenant(Scope scope, @Nullable String name) {
    return switch (scope) {
      case ALL -> null;
      case TENANT -> name;
      case AGENT -> caller().tenant();
      case PROVIDER -> isAdmin() ? null : caller().tenant();
    };
  }

  private Caller caller() {
    return callers.current().orElseThrow();
  }

  private boolean isAdmin() {
    return caller().role() == Role.ADMIN;
  }

  private boolean isOwn(Pause pause) {
    return caller().tenant().equals(pause.tenant());
  }
}
