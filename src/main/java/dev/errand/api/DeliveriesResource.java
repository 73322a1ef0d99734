package dev.errand.api;

import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.delivery.DeadLetters;
import dev.errand.http.Page;
import dev.errand.http.Refusal;
import dev.errand.outbox.DeliveryState;
import dev.errand.view.DeliveryViews;
import dev.errand.view.DeliveryViews.DeliveryFilter;
import dev.errand.view.DeliveryViews.DeliveryView;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jboss.resteasy.reactive.Separator;
import org.jspecify.annotations.Nullable;

/** Deliveries of results to parent sessions and of messages to callbacks, for operators. */
@Path("/v1/deliveries")
@RunOnVirtualThread
class DeliveriesResource {

  private final DeliveryViews views;
  private final DeadLetters deadLetters;
  private final Audit audit;

  DeliveriesResource(DeliveryViews views, DeadLetters deadLetters, Audit audit) {
    this.views = views;
    this.deadLetters = deadLetters;
    this.audit = audit;
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT})
  public Page<DeliveryView> list(
      @QueryParam("state") @Separator(",") List<DeliveryState> states,
      @QueryParam("session_id") @Nullable SessionId session,
      @QueryParam("task_id") @Nullable TaskId task,
      @BeanParam ListParameters list,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable DeliveryId cursor) {
    var filter = new DeliveryFilter(states, session, task, list.created());
    var page = list.page(cursor == null ? null : cursor.value(), limit);
    return Page.of(views.page(filter, page), delivery -> delivery.id().toString());
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT})
  @Path("{id}")
  public DeliveryView get(@PathParam("id") DeliveryId id) {
    return view(id);
  }

  @POST
  @RolesAllowed(Roles.OPERATOR)
  @Path("{id}/retry")
  public DeliveryView retry(@PathParam("id") DeliveryId id) {
    return change("delivery.retry", id, deadLetters::retry);
  }

  @POST
  @RolesAllowed(Roles.OPERATOR)
  @Path("{id}/dismiss")
  public DeliveryView dismiss(@PathParam("id") DeliveryId id) {
    return change("delivery.dismiss", id, deadLetters::dismiss);
  }

  /** Answers with the delivery as the change leaves it, before it is attempted again. */
  private DeliveryView change(
      String action, DeliveryId id, Function<DeliveryId, DeadLetters.DeadLetterAnswer> change) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          var answer = change.apply(id);
          if (answer instanceof DeadLetters.DeadLetterAnswer.InRequestedState done) {
            audit.record(action, done.session(), id, Map.of());
          }
          return answer(id, answer);
        });
  }

  private DeliveryView answer(DeliveryId id, DeadLetters.DeadLetterAnswer answer) {
    return switch (answer) {
      case DeadLetters.DeadLetterAnswer.InRequestedState _ -> view(id);
      case DeadLetters.DeadLetterAnswer.NotDead other ->
          throw new Refusal(
              Status.CONFLICT,
              "The delivery is " + other.state().word() + ", not dead.",
              List.of());
      case DeadLetters.DeadLetterAnswer.UnknownDelivery _ -> throw Refusal.notFound("delivery", id);
    };
  }

  private DeliveryView view(DeliveryId id) {
    return views.find(id).orElseThrow(() -> Refusal.notFound("delivery", id));
  }
}
