package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** The id of a task: a UUIDv7, written {@code task_…} in the API. */
public record TaskId(UUID value) {

  private static final String PREFIX = "task_";

  /** Creates an id; later ids sort after earlier ones. */
  public static TaskId next() {
    return new TaskId(Ids.next());
  }

  /** Parses the form of the API; empty if the text is not such an id. */
  public static Optional<TaskId> parse(String text) {
    return PublicId.read(PREFIX, text).map(TaskId::new);
  }

  @JsonValue
  @Override
  public String toString() {
    return PublicId.write(PREFIX, value);
  }
}
