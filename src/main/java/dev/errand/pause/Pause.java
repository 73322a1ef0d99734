package dev.errand.pause;

import dev.errand.conversation.PauseId;
import dev.errand.conversation.Word;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pause that is in force, as clients see it. One component per field of the wire format.
 *
 * @param name of the tenant, the agent or the provider; null when everything is paused
 * @param tenant whose sessions wait; null: those of every tenant
 * @param createdBy the subject that made it; null without authentication
 */
public record Pause(
    PauseId id,
    PauseScope scope,
    @Nullable String name,
    @Nullable String tenant,
    String reason,
    @Nullable String createdBy,
    Instant createdAt) {

  /** The kind of what is paused. */
  public enum PauseScope implements Word {
    ALL,
    TENANT,
    AGENT,
    PROVIDER
  }

  /**
   * Returns whether sessions of this tenant and agent wait that call this model.
   *
   * @param model with its provider, as sessions store it
   */
  public boolean appliesTo(String ofTenant, String agent, String model) {
    return (tenant == null || tenant.equals(ofTenant))
        && switch (scope) {
          case ALL, TENANT -> true;
          case AGENT -> agent.equals(name);
          case PROVIDER -> model.startsWith(name + ":");
        };
  }
}
