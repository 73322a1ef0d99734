package dev.errand.event;

import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The type of an event. {@code session}, {@code model} and {@code tool} events are in the stream of
 * their session, {@code delivery} events in that of the receiver, the others in that of the parent.
 */
public enum EventType {
  SESSION_MESSAGE("session.message"),
  SESSION_STATE("session.state"),
  SESSION_TAKEN_OVER("session.taken_over"),
  SESSION_FAILED("session.failed"),
  SESSION_SUMMARISED("session.summarised"),
  SESSION_NOTICES_HELD("session.notices_held"),
  SUBAGENT_CREATED("subagent.created"),
  SUBAGENT_STARTED("subagent.started"),
  SUBAGENT_COMPLETED("subagent.completed"),
  SUBAGENT_FAILED("subagent.failed"),
  BACKGROUND_TASK_STARTED("background_task.started"),
  BACKGROUND_TASK_PROGRESS("background_task.progress"),
  BACKGROUND_TASK_COMPLETED("background_task.completed"),
  BACKGROUND_TASK_FAILED("background_task.failed"),
  BACKGROUND_TASK_CANCELLED("background_task.cancelled"),
  TASK_RETRYING("task.retrying"),
  MODEL_STARTED("model.started"),
  MODEL_ENDED("model.ended"),
  TOOL_STARTED("tool.started"),
  TOOL_PROGRESS("tool.progress"),
  TOOL_ENDED("tool.ended"),
  DELIVERY_DELIVERED("delivery.delivered"),
  DELIVERY_DEAD("delivery.dead");

  private final String word;

  EventType(String word) {
    this.word = word;
  }

  /** Returns the word in the database and in JSON. */
  @JsonValue
  public String word() {
    return word;
  }
}
