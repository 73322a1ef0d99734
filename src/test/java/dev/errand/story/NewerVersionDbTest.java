package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSource.FlushMode;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** During an upgrade, a newer version of the service has written to the same rows. */
@QuarkusTest
class NewerVersionDbTest implements Story {

  private static final List<String> TABLES = List.of("tree", "task", "session");

  @Inject TaskKit kit;
  @Inject AgroalDataSource pool;

  @Test
  void unknownFieldsAndPartsOfATranscriptAreToleratedAndShown() {
    var root = kit.session(model -> model.says("Hello.").thenSays("Still here."));
    kit.say(root, "Hello?");
    kit.awaitRest(root);

    kit.tamper(
        """
        update message set content = (jsonb_set(content::jsonb, '{0,mood}', '"happy"') || '[{"type": "hologram", "size": 3}]')::json
        where session_id = ?
        """,
        root.value());
    kit.say(root, "And now?");
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("user", "assistant", "user", "assistant");
    given()
        .get("/v1/sessions/{id}/messages", root.toString())
        .then()
        .statusCode(200)
        .body("items[0].content[0].text", is("Hello?"))
        .body("items[0].content[1].text", startsWith("(content that this version"));
  }

  @Test
  void unknownFieldsOfNoticesAndPermissionsAreTolerated() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var root =
        kit.session(model ->
            model
                .callsTaskInBackground("dig")
                .thenSays("later")
                .calls("list", Map.of())
                .thenSays("great"));
    kit.say(root, "Dig.");
    gate.awaitArrivals(1);
    kit.awaitState(root, SessionState.IDLE);
    kit.tamper(
        """
        update session
        set grants = '[[{"permission": "*", "pattern": "*", "action": "allow", "since": 1},
                        {"permission": "list", "pattern": "*", "action": "ask"}]]',
            grants_from = '["agent"]'
        where id = ?
        """,
        root.value());
    kit.tamper(
        """
        create function newer() returns trigger language plpgsql as $$
          begin new.body = new.body || '{"mood": {"of": "child"}}'; return new; end $$;
        create trigger newer before insert on inbox for each row execute function newer()
        """);

    gate.open();
    kit.awaitRest(root);
    kit.tamper("drop function newer() cascade");

    assertThat(kit.toolResults(root).getLast())
        .satisfies(denied -> assertThat(denied.isError()).isTrue());
    assertThat(kit.outline(root)).endsWith("notice", "assistant: list", "tool", "assistant");
  }

  /** The driver prepares frequent statements, and each connection has its own. */
  @Test
  void runsContinueWhileAMigrationAddsColumns() {
    kit.children(_ -> new Script().calls("list", Map.of()).saysForever("gold"));
    var root = rootThatDigs(20);
    kit.say(root, "Dig.");
    kit.awaitRest(root);
    var gate = new Gate();
    var running = Stream.generate(() -> rootThatCallsAt(gate)).limit(3).toList();
    running.forEach(begun -> kit.say(begun, "Look."));
    gate.awaitArrivals(running.size());

    try {
      TABLES.forEach(table -> kit.tamper("alter table " + table + " add column newer text"));
      gate.open();
      running.forEach(kit::awaitRest);
      var next = rootThatDigs(10);
      kit.say(next, "Dig.");
      kit.awaitRest(next);

      assertThat(running)
          .allSatisfy(ended ->
              assertThat(kit.outline(ended))
                  .containsExactly("user", "assistant: list", "tool", "assistant"));
      assertThat(kit.transcript(next).getLast().text()).isEqualTo("rich");
      assertThat(kit.tasksOf(next))
          .hasSize(10)
          .allSatisfy(task -> {
            assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
            assertThat(task.attempts()).isEqualTo(1);
          });
    } finally {
      TABLES.forEach(table -> kit.tamper("alter table " + table + " drop column newer"));
      pool.flush(FlushMode.GRACEFUL);
    }
  }

  private SessionId rootThatCallsAt(Gate gate) {
    return kit.session(model -> model.at(gate).calls("list", Map.of()).says("seen"));
  }

  private SessionId rootThatDigs(int times) {
    return kit.session(model -> {
      for (int time = 0; time < times; time++) {
        model.callsTask("dig " + time);
      }
      model.says("rich");
    });
  }

  @Test
  void entryOfAnUnknownKindStaysUnread() {
    var root = kit.session(model -> model.says("Hello."));
    kit.tamper(
        """
        insert into inbox (id, session_id, kind, body)
        values (gen_random_uuid(), ?, 'message', '{"kind": "approval", "by": "somebody"}')
        """,
        root.value());

    kit.say(root, "Hello?");
    kit.awaitState(root, SessionState.IDLE);

    assertThat(kit.outline(root)).containsExactly("user", "assistant");
    var unread =
        "select count(*) from inbox where consumed_at is null and session_id = '%s'"
            .formatted(root.value());
    assertThat(kit.row(unread, Integer.class)).isEqualTo(1);
    kit.tamper("delete from inbox where session_id = ?", root.value());
  }
}
