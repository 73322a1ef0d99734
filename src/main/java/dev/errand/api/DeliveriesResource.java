package dev.errand.api;

import dev.errand.api.http.Page;
import dev.errand.api.http.Refusal;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.delivery.DeadLetters;
import dev.errand.delivery.DeliveryList;
import dev.errand.delivery.DeliveryView;
import dev.errand.delivery.webhook.Redelivery;
import dev.errand.outbox.DeliveryState;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * What ended tasks owe their parents and sessions their callbacks; for operators, above all what
 * could not be delivered.
 */
@Path("/v1/deliveries")
@RunOnVirtualThread
@Tag(name = "Deliveries")
class DeliveriesResource {

  private final DeliveryList deliveries;
  private final DeadLetters deadLetters;
  private final Redelivery redelivery;

  DeliveriesResource(DeliveryList deliveries, DeadLetters deadLetters, Redelivery redelivery) {
    this.deliveries = deliveries;
    this.deadLetters = deadLetters;
    this.redelivery = redelivery;
  }

  @GET
  @Operation(summary = "List deliveries, newest first; state=dead shows what needs an operator")
  public Page<DeliveryView> list(
      @QueryParam("state") @Nullable DeliveryState state,
      @QueryParam("session_id") @Nullable SessionId session,
      @QueryParam("task_id") @Nullable TaskId task,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("cursor") @Nullable DeliveryId cursor) {
    var filter = new DeliveryList.Filter(state, session, task);
    var found = deliveries.page(filter, cursor, limit + 1);
    return Page.of(found, limit, delivery -> delivery.id().toString());
  }

  @POST
  @Path("{id}/retry")
  @Operation(
      summary =
          "Try a dead delivery again, with all its attempts; enables a callback that was disabled")
  public DeliveryView retry(@PathParam("id") DeliveryId id) {
    return answer(id, redelivery.retry(id));
  }

  @POST
  @Path("{id}/dismiss")
  @Operation(summary = "Dismiss a dead delivery (idempotent)")
  public DeliveryView dismiss(@PathParam("id") DeliveryId id) {
    return answer(id, deadLetters.dismiss(id));
  }

  private static DeliveryView answer(DeliveryId id, DeadLetters.Answer answer) {
    return switch (answer) {
      case DeadLetters.Answer.Done done -> done.delivery();
      case DeadLetters.Answer.NotDead other ->
          throw new Refusal(
              Status.CONFLICT, "The delivery is " + other.state() + ", not dead.", List.of());
      case DeadLetters.Answer.Unknown _ -> throw Refusal.notFound("delivery", id);
    };
  }
}
