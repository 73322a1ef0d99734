package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.agent.PermissionNames;
import dev.errand.auth.Callers;
import dev.errand.conversation.Content;
import dev.errand.http.NewRoots;
import dev.errand.http.Refusal;
import dev.errand.model.Prices;
import dev.errand.permission.Rule;
import dev.errand.session.DayQuotas;
import dev.errand.session.LimitConfig;
import dev.errand.session.Limits.RequestedLimits;
import dev.errand.session.NewSession;
import dev.errand.session.SessionKind;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks the fields of requested root sessions, and adds the defaults. */
@Singleton
class RequestedSessions {

  private static final int MAX_METADATA_BYTES = 16 * 1024;
  private static final int MAX_METADATA_DEPTH = 20;

  private final NewRoots roots;
  private final PermissionNames permissionNames;
  private final LimitConfig limits;
  private final Prices prices;
  private final DayQuotas quotas;
  private final Callers callers;
  private final ObjectMapper mapper;

  RequestedSessions(
      NewRoots roots,
      PermissionNames permissionNames,
      LimitConfig limits,
      Prices prices,
      DayQuotas quotas,
      Callers callers,
      ObjectMapper mapper) {
    this.roots = roots;
    this.permissionNames = permissionNames;
    this.limits = limits;
    this.prices = prices;
    this.quotas = quotas;
    this.callers = callers;
    this.mapper = mapper;
  }

  /**
   * @throws Refusal a field is wrong
   */
  NewSession check(NewSessionBody body) {
    checkMetadata(body.metadata());
    var requested = limits(Objects.requireNonNullElse(body.limits(), RequestedLimits.NONE));
    var kind = "external".equals(body.kind()) ? SessionKind.EXTERNAL : SessionKind.HOSTED;
    var asked = new NewRoots.Asked(kind, body.agent(), body.model(), body.workspace(), rules(body));
    var origin = body.origin() == null ? null : mapper.<JsonNode>valueToTree(body.origin());
    var details = new NewSession.SessionDetails(body.title(), origin, body.metadata());
    var root = roots.root(asked, details).within(requested);
    checkPrice(root);
    return root;
  }

  /**
   * Returns the permissions of a request, with the names as tools and agents have them.
   *
   * @throws Refusal a name does not exist
   */
  List<Rule> rules(NewSessionBody body) {
    var checked = permissionNames.check(body.permissions(), callers.tenant());
    if (!checked.problems().isEmpty()) {
      throw Refusal.invalid(checked.problems());
    }
    return checked.rules();
  }

  private RequestedLimits limits(RequestedLimits asked) {
    var exceeded =
        asked.exceeded(limits.cap()).entrySet().stream()
            .map(cap ->
                new FieldProblem(
                    "limits." + cap.getKey(),
                    "must be at most %s, the cap of this service".formatted(cap.getValue())))
            .toList();
    if (!exceeded.isEmpty()) {
      throw Refusal.invalid(exceeded);
    }
    return asked;
  }

  private void checkPrice(NewSession root) {
    var isLimited = root.limits().limitMoney(limits) || quotas.limitMoney(root.tenant());
    if (root.spec().kind() == SessionKind.HOSTED && isLimited) {
      prices
          .problem(root.spec().model())
          .ifPresent(problem -> {
            throw Refusal.invalid("model", problem);
          });
    }
  }

  private static void checkMetadata(@Nullable JsonNode metadata) {
    if (metadata == null) {
      return;
    }
    if (Content.depth(metadata) > MAX_METADATA_DEPTH) {
      throw Refusal.invalid(
          "metadata", "must be nested at most " + MAX_METADATA_DEPTH + " levels deep");
    }
    if (metadata.toString().getBytes(StandardCharsets.UTF_8).length > MAX_METADATA_BYTES) {
      throw Refusal.invalid("metadata", "must have at most 16 KiB as JSON");
    }
  }
}
