package dev.errand.api.http;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import org.jspecify.annotations.Nullable;

/** Reads ids of requests. One that is none of ours is unknown, like one that never was. */
public final class Ids {

  private Ids() {}

  /**
   * @throws Refusal 404
   */
  public static SessionId session(String id) {
    return SessionId.parse(id).orElseThrow(() -> Refusal.notFound("session", id));
  }

  /**
   * @throws Refusal 404
   */
  public static TaskId task(String id) {
    return TaskId.parse(id).orElseThrow(() -> Refusal.notFound("task", id));
  }

  /** A query parameter; null when it is absent. */
  public static @Nullable SessionId sessionParameter(String name, @Nullable String id) {
    return id == null
        ? null
        : SessionId.parse(id)
            .orElseThrow(() ->
                Refusal.invalid(name, "must be a session id (ses_ and 32 hexadecimal digits)"));
  }

  /**
   * @throws Refusal 404
   */
  public static DeliveryId delivery(String id) {
    return DeliveryId.parse(id).orElseThrow(() -> Refusal.notFound("delivery", id));
  }

  /** A query parameter; null when it is absent. */
  public static @Nullable DeliveryId deliveryParameter(String name, @Nullable String id) {
    return id == null
        ? null
        : DeliveryId.parse(id)
            .orElseThrow(() ->
                Refusal.invalid(name, "must be a delivery id (dlv_ and 32 hexadecimal digits)"));
  }

  /** A query parameter; null when it is absent. */
  public static @Nullable TaskId taskParameter(String name, @Nullable String id) {
    return id == null
        ? null
        : TaskId.parse(id)
            .orElseThrow(
                () -> Refusal.invalid(name, "must be a task id (task_ and 32 hexadecimal digits)"));
  }
}
