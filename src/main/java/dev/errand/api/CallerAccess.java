package dev.errand.api;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.http.Refusal;
import dev.errand.view.Visibility;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.util.Optional;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/**
 * Checks the id in the path of a request, for all resources. An id that the caller may not see is
 * answered with 404, like an unknown id.
 */
class CallerAccess {

  private static final String ID = "id";

  private final Visibility visibility;

  CallerAccess(Visibility visibility) {
    this.visibility = visibility;
  }

  @ServerRequestFilter
  public @Nullable Response check(ContainerRequestContext request) {
    var id = request.getUriInfo().getPathParameters().getFirst(ID);
    var hidden = id == null ? Optional.<Refusal>empty() : hidden(id);
    if (hidden.isEmpty()) {
      return null;
    }
    if (request.getMethod().equals(HttpMethod.DELETE)) {
      return Response.noContent().build(); // deleting what does not exist succeeds
    }
    throw hidden.get();
  }

  private Optional<Refusal> hidden(String id) {
    return SessionId.parse(id)
        .filter(session -> !visibility.includes(session))
        .map(session -> Refusal.notFound("session", session))
        .or(() ->
            TaskId.parse(id)
                .filter(task -> !visibility.includes(task))
                .map(task -> Refusal.notFound("task", task)))
        .or(() ->
            DeliveryId.parse(id)
                .filter(delivery -> !visibility.includes(delivery))
                .map(delivery -> Refusal.notFound("delivery", delivery)));
  }
}
