package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLState;

/** The database refuses rows that contradict themselves, whichever statement writes them. */
@QuarkusTest
class ConsistentRowsDbTest implements Story {

  private static final List<String> OF_A_COMPLETED_TASK =
      List.of(
          "kind = 'x'",
          "cleanup = 'x'",
          "isolation = 'x'",
          "thoroughness = 'x'",
          "max_turns = 0",
          "timeout_ms = 0",
          "generation = -1",
          "notes = '{}'",
          "session_id = null",
          "queued_for = session_id",
          "queued_for = session_id, session_id = null",
          "ended_at = null",
          "ended_at = null, stop_reason = null",
          "state = 'x'",
          "state = 'pending'",
          "state = 'running'",
          "state = 'running', ended_at = null, stop_reason = null, started_at = null",
          "state = 'running', ended_at = null, stop_reason = null, deadline_at = null",
          "state = 'failed'",
          "state = 'cancelled', ended_at = null, stop_reason = null",
          "state = 'timed_out', ended_at = null, stop_reason = null",
          "stop_reason = null",
          "stop_reason = 'x'");

  private static final List<String> OF_AN_IDLE_ROOT =
      List.of(
          "kind = 'x'",
          "state = 'x'",
          "state = 'running'",
          "node_id = gen_random_uuid()",
          "kind = 'external', state = 'waiting', waits_for = 'answer', waits_since = now()",
          "state = 'waiting'",
          "state = 'waiting', waits_for = 'x', waits_since = now()",
          "state = 'waiting', waits_for = 'answer'",
          "state = 'waiting', waits_for = 'pause', waits_since = now()",
          "state = 'waiting', waits_for = 'model', waits_since = now(), waits_on = gen_random_uuid()",
          "waits_for = 'answer', waits_since = now()",
          "state = 'waiting', waits_for = 'slot', waits_since = now()",
          "state = 'waiting', waits_for = 'answer', waits_since = now(), waits_order = 1",
          "waits_until = now()",
          "depth = -1",
          "depth = 1",
          "max_turns = 0",
          "generation = -1",
          "model_tries = -1",
          "stubs_to = -1",
          "stubs_to = 2, stubs_at = 1",
          "error_code = 'x'",
          "error_code = 'x', error_message = 'x'",
          "error_message = 'x'",
          "error_at = now()");

  private static final List<String> OF_A_DELIVERED_RESULT =
      List.of(
          "kind = 'x'",
          "kind = 'message'",
          "kind = 'event'",
          "target = 'x'",
          "target = 'webhook'",
          "target = 'task_webhook', receiver = 'x', stream = 'x', event = '{}'",
          "task_id = null",
          "message_id = gen_random_uuid()",
          "callback_task_id = task_id",
          "receiver = 'x'",
          "stream = 'x'",
          "event = '{}'",
          "claim = gen_random_uuid()",
          "claimed_until = now()",
          "state = 'x'",
          "state = 'dead'",
          "delivered_at = null",
          "sequence = 1",
          "out_of_turn = true");

  @Inject TaskKit kit;

  @Test
  void rowsThatContradictThemselvesAreRefused() {
    var parent = kit.session(model -> model.callsTask("dig").thenSays("I have gold"));
    kit.child("dig", model -> model.says("gold"));
    kit.say(parent, "Dig.");
    var task = kit.awaitTask(parent);
    kit.awaitRest(parent);

    refused("task", "id", task.value(), OF_A_COMPLETED_TASK);
    refused("session", "id", parent.value(), OF_AN_IDLE_ROOT);
    refused("outbox", "task_id", task.value(), OF_A_DELIVERED_RESULT);
  }

  private void refused(String table, String key, UUID id, List<String> changes) {
    for (var change : changes) {
      var sql = "update %s set %s where %s = ?".formatted(table, change, key);
      var fault = catchThrowableOfType(JdbiException.class, () -> kit.tamper(sql, id));
      assertThat(SqlErrors.in(fault).map(SQLException::getSQLState))
          .as(sql)
          .contains(PSQLState.CHECK_VIOLATION.getState());
    }
  }
}
