package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lines of the log about a task can be found by its task, session and attempt. */
@QuarkusTest
class TaskLogDbTest implements Story {

  private static final Logger LOGGER = Logger.getLogger(TaskLog.class.getName());

  @Inject TaskKit kit;

  private final Recorder recorder = new Recorder();

  private record Line(String level, String message, String task, String session, String attempt) {}

  private static final class Recorder extends Handler {

    private final List<Line> lines = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      var logged = ExtLogRecord.wrap(record);
      lines.add(
          new Line(
              logged.getLevel().getName(),
              logged.getFormattedMessage(),
              String.valueOf(logged.getMdc("task")),
              String.valueOf(logged.getMdc("session")),
              String.valueOf(logged.getMdc("attempt"))));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() {
    LOGGER.setLevel(Level.FINE);
    LOGGER.addHandler(recorder);
  }

  @AfterEach
  void stop() {
    LOGGER.removeHandler(recorder);
    LOGGER.setLevel(null);
  }

  @Test
  void creationStartsAndEndHaveTheIdsOfTaskSessionAndAttempt() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.failsAttempt().says("gold"));

    var task = kit.look(kit.submit(parent, "dig"));
    kit.awaitRest(parent);

    var id = task.id().toString();
    var child = task.child().toString();
    // The submission and the run log at the same time; a task may have to wait for a slot.
    await()
        .untilAsserted(() ->
            assertThat(linesOf(task.child()))
                .filteredOn(line -> !line.message().endsWith("gets a slot"))
                .extracting(Line::level, Line::message, Line::task, Line::attempt)
                .containsExactlyInAnyOrder(
                    tuple(
                        "INFO",
                        "Task %s accepted: general for %s, child %s".formatted(id, parent, child),
                        id,
                        "null"),
                    tuple("DEBUG", "Task " + id + " starts, attempt 1", id, "1"),
                    tuple("DEBUG", "Task " + id + " starts, attempt 2", id, "2"),
                    tuple("INFO", "Task " + id + " ends completed (end_turn)", id, "2")));
  }

  @Test
  void endThatNoRunWritesHasThemToo() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.look(kit.submit(parent, "dig"));
    gate.awaitArrivals(1);

    kit.cancel(task.id());
    kit.awaitRest(parent);

    await()
        .untilAsserted(() ->
            assertThat(linesOf(task.child()))
                .contains(
                    new Line(
                        "INFO",
                        "Task " + task.id() + " ends cancelled (cancelled)",
                        task.id().toString(),
                        task.child().toString(),
                        "1")));
  }

  private List<Line> linesOf(SessionId child) {
    return recorder.lines.stream().filter(line -> line.session().equals(child.toString())).toList();
  }
}
