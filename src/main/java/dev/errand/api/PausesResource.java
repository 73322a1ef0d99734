package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.auth.Caller;
import dev.errand.auth.Callers;
import dev.errand.auth.Role;
import dev.errand.auth.Roles;
import dev.errand.conversation.PauseId;
import dev.errand.conversation.Word;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.model.LanguageModels;
import dev.errand.pause.Pause;
import dev.errand.pause.Pause.PauseScope;
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
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pauses: operators stop runs temporarily. */
@Path("/v1/pauses")
@RunOnVirtualThread
@RolesAllowed(Roles.OPERATOR)
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
   * The body of the POST.
   *
   * @param name of the tenant, the agent or the provider; null for {@code all}
   */
  record NewPause(
      @NotBlank(message = "is required")
          @Pattern(
              regexp = "^(agent|provider|tenant|all)$",
              message = "must be agent, provider, tenant or all")
          String scope,
      @Nullable @Size(max = 200, message = "must have at most 200 characters") String name,
      @NotBlank(message = "is required: it is shown with every session that waits")
          @Size(max = 500, message = "must have at most 500 characters")
          String reason) {}

  @POST
  @Consumes("application/json")
  public Response begin(JsonNode body) throws JsonProcessingException {
    var asked = bodies.read(body, NewPause.class);
    var scope = Word.of(PauseScope.class, asked.scope());
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
  public Page<Pause> list(
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable PauseId cursor) {
    var found =
        pauses.read().reversed().stream()
            .filter(pauses::isVisible)
            .filter(pause -> cursor == null || pause.id().isBefore(cursor))
            .limit(limit + 1L)
            .toList();
    var more = found.size() > limit;
    var shown = found.subList(0, Math.min(limit, found.size()));
    return Page.of(new Slice<>(shown, more), pause -> pause.id().toString());
  }

  @DELETE
  @Path("{id}")
  public void end(@PathParam("id") String id) {
    var found =
        pauses.read().stream().filter(pause -> pause.id().toString().equals(id)).findFirst();
    if (found.filter(pauses::isVisible).isEmpty()) {
      return;
    }
    if (!isAdmin() && (found.get().tenant() == null || found.get().scope() == PauseScope.TENANT)) {
      throw forbidden("A pause that an admin made for a whole tenant or for all tenants");
    }
    pauses.end(found.get().id());
  }

  private void requireRight(PauseScope scope) {
    if (!isAdmin() && (scope == PauseScope.ALL || scope == PauseScope.TENANT)) {
      throw forbidden("The scope " + scope.word());
    }
  }

  private static Refusal forbidden(String what) {
    return new Refusal(
        Response.Status.FORBIDDEN, what + " needs a caller with the role admin.", List.of());
  }

  /** An unknown name would pause nothing, without an error. */
  private @Nullable String name(PauseScope scope, @Nullable String asked) {
    if (scope == PauseScope.ALL) {
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

  private @Nullable String tenant(PauseScope scope, @Nullable String name) {
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
}
