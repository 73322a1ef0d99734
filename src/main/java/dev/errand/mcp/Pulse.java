package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.http.SseWriter;
import dev.errand.task.Task;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The messages on the stream of a call before its answer: the progress of the task if the client
 * wants it, otherwise comments. It keeps the connection open and resets the time-outs of clients.
 */
final class Pulse {

  /** How often it is looked whether the client is still there. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  private static final Duration CHANGE = Duration.ofSeconds(1);
  private static final Duration PROGRESS = Duration.ofSeconds(2);
  private static final Duration COMMENT = Duration.ofSeconds(10);

  private final @Nullable JsonNode token;
  private final SseWriter writer;
  private String line = "";
  private long step;
  private long sentAt;

  Pulse(@Nullable JsonNode token, SseWriter writer) {
    this.token = token;
    this.writer = writer;
  }

  /** Returns the time after which {@link #beat} is called again. */
  Duration interval() {
    return token == null ? LOOK : CHANGE;
  }

  /** Returns whether the state of the task is sent, and has to be read. */
  boolean tellsProgress() {
    return token != null;
  }

  /** Opens the stream. */
  void begin(Task task) throws IOException {
    send(TaskStates.line(task));
  }

  /** Sends what has changed, and something after a time without a change. At most once a second. */
  void beat(Task task) throws IOException {
    var now = TaskStates.line(task);
    var silence = Duration.ofNanos(System.nanoTime() - sentAt);
    var isChanged = token != null && !now.equals(line);
    if (isChanged || silence.compareTo(token == null ? COMMENT : PROGRESS) >= 0) {
      send(now);
    }
  }

  private void send(String now) throws IOException {
    if (token == null) {
      writer.comment();
    } else {
      step++;
      writer.message(Documents.progress(token, step, now));
    }
    line = now;
    sentAt = System.nanoTime();
  }
}
