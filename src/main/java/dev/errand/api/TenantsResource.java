package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.model.TenantEndpoints;
import dev.errand.postgres.SecretCipher;
import dev.errand.secret.Secrets;
import dev.errand.tenant.Tenant;
import dev.errand.tenant.TenantStore;
import dev.errand.tenant.TenantStore.TenantOutcome;
import dev.errand.tenant.Tenants;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.file.WorkspaceRoots;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** Tenants and their settings. */
@Path("/v1/tenants")
@RunOnVirtualThread
@RolesAllowed(Roles.ADMIN)
class TenantsResource {

  private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

  private final RequestBodies bodies;
  private final TenantStore store;
  private final Tenants tenants;
  private final TenantEndpoints endpoints;
  private final SecretCipher cipher;
  private final WorkspaceRoots roots;
  private final Audit audit;
  private final ObjectMapper mapper;

  TenantsResource(
      RequestBodies bodies,
      TenantStore store,
      Tenants tenants,
      TenantEndpoints endpoints,
      SecretCipher cipher,
      WorkspaceRoots roots,
      Audit audit,
      ObjectMapper mapper) {
    this.bodies = bodies;
    this.store = store;
    this.tenants = tenants;
    this.endpoints = endpoints;
    this.cipher = cipher;
    this.roots = roots;
    this.audit = audit;
    this.mapper = mapper;
  }

  @GET
  public Page<TenantBody.TenantView> list() {
    return Page.whole(store.all().stream().map(TenantBody.TenantView::of).toList());
  }

  @GET
  @Path("{id}")
  public TenantBody.TenantView get(@PathParam("id") String id) {
    return store
        .find(id)
        .map(TenantBody.TenantView::of)
        .orElseThrow(() -> Refusal.notFound("tenant", id));
  }

  @PUT
  @Path("{id}")
  @Consumes("application/json")
  public Response put(@PathParam("id") String id, JsonNode body) throws JsonProcessingException {
    var asked = bodies.read(body, TenantBody.class);
    if (!Tenant.isName(id)) {
      throw Refusal.invalid(
          "id",
          "must have 1 to 63 lower-case letters, digits, - and _, and must not begin with - or _");
    }
    checkUrls(asked);
    var tenant = asked.of(id);
    checkSetUp(tenant);
    var stored = store(tenant);
    tenants.changed();
    var view = TenantBody.TenantView.of(stored.tenant());
    return stored.isNew()
        ? Response.created(URI.create("/v1/tenants/" + id)).entity(view).build()
        : Response.ok(view).build();
  }

  /** The name look-ups are made outside of the transaction. */
  private void checkUrls(TenantBody asked) {
    var problems =
        asked.baseUrls().entrySet().stream()
            .flatMap(url ->
                endpoints.problem(url.getValue()).stream()
                    .map(problem ->
                        new FieldProblem(
                            "models.providers." + url.getKey() + ".base_url", problem)))
            .toList();
    if (!problems.isEmpty()) {
      throw Refusal.invalid(problems);
    }
  }

  private void checkSetUp(Tenant tenant) {
    var shared = roots.whyOneTenant();
    if (shared.isPresent() && store.find(tenant.id()).isEmpty()) {
      throw notSetUp("id", shared.get());
    }
    for (var provider : tenant.models().providers().entrySet()) {
      var key = provider.getValue().apiKey();
      if (key != null && !key.equals(Secrets.MASK) && cipher.currentKey().isEmpty()) {
        throw notSetUp(
            "models.providers." + provider.getKey() + ".api_key",
            "cannot be stored, because there is no key that encrypts it; set errand.secrets.key"
                + " (ERRAND_SECRETS_KEY)");
      }
    }
  }

  private static Refusal notSetUp(String field, String message) {
    return new Refusal(
        Status.CONFLICT,
        "The service is not set up for this.",
        List.of(new FieldProblem(field, message)));
  }

  private TenantOutcome.TenantStored store(Tenant tenant) {
    return QuarkusTransaction.requiringNew()
        .call(() ->
            switch (store.put(tenant)) {
              case TenantOutcome.TenantRefused refused ->
                  throw Refusal.invalid(refused.field(), refused.message());
              case TenantOutcome.TenantStored stored -> {
                var view = mapper.convertValue(TenantBody.TenantView.of(stored.tenant()), FIELDS);
                audit.record(
                    stored.isNew() ? "tenant.create" : "tenant.update", null, tenant.id(), view);
                yield stored;
              }
            });
  }
}
