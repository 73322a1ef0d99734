package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import com.github.f4b6a3.uuid.UuidCreator;
import java.util.Optional;
import java.util.UUID;

/** Names one task: a UUIDv7, written {@code task_…} outside. */
public record TaskId(UUID value) {

  private static final String PREFIX = "task_";

  /** A new id; ids made later sort later. */
  public static TaskId next() {
    return new TaskId(UuidCreator.getTimeOrderedEpoch());
  }

  /** Reads the outside form; empty when {@code text} is not a task id. */
  public static Optional<TaskId> parse(String text) {
    return PublicId.read(PREFIX, text).map(TaskId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
