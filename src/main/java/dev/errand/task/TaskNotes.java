package dev.errand.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.postgres.StorableText;
import dev.errand.secret.Secrets;
import java.io.UncheckedIOException;
import java.util.List;

/** The notes of a task as they are stored: a JSON array of texts. */
public final class TaskNotes {

  private static final String NONE = "[]";
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private TaskNotes() {}

  public static List<String> read(String stored) {
    try {
      return stored.equals(NONE) ? List.of() : List.of(JSON.readValue(stored, String[].class));
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  static String write(List<String> notes) {
    try {
      return notes.isEmpty()
          ? NONE
          : JSON.writeValueAsString(
              notes.stream().map(StorableText::of).map(Secrets::masked).toList());
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
