package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.assertj.core.util.Throwables;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Errors of the database during a run. Triggers raise them for rows that contain a certain text.
 */
@QuarkusTest
class DatabaseFaultDbTest implements Story {

  /** The number of the attempt comes from a sequence, because a rollback does not reset it. */
  private static final String BLIP =
      """
      create sequence blip;
      create function blip() returns trigger language plpgsql as $$
        begin
          if nextval('blip') <= 2 then raise exception 'blip' using errcode = '57P01'; end if;
          return new;
        end $$
      """;

  private static final String FAULT_BEFORE_BLIP =
      """
      create sequence blip;
      create function blip() returns trigger language plpgsql as $$
        declare attempt bigint := nextval('blip');
        begin
          if attempt = 1 then raise exception 'fault' using errcode = '23514'; end if;
          if attempt <= 3 then raise exception 'blip' using errcode = '57P01'; end if;
          return new;
        end $$
      """;

  private static final String AT_THE_CLAIM =
      "create trigger blip before update on session for each row"
          + " when (old.state = 'queued' and new.state = 'running') execute function blip()";

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;

  @AfterEach
  void repair() {
    kit.tamper(
        """
        drop function if exists blip() cascade;
        drop sequence if exists blip;
        drop table if exists canary;
        alter table message drop constraint if exists full_disk
        """);
  }

  @Test
  void answerIsNotAskedForAgainAfterAShortOutage() {
    kit.tamper(BLIP);
    kit.tamper(
        "create trigger blip before insert on message for each row"
            + " when (new.content::text like '%precious%') execute function blip()");
    var child = kit.child("dig", model -> model.says("precious gold"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig"));

    assertThat(task.outcome().orElseThrow().result()).isEqualTo("precious gold");
    assertThat(child.requests()).hasSize(1);
    assertThat(task.attempts()).isEqualTo(1);
    assertThat(kit.takeovers(task.id())).isZero();
  }

  /** The invariants of the stories include that no job has failed. */
  @Test
  void claimIsRepeatedAfterAShortOutage() {
    kit.tamper(BLIP);

    assertIsClaimedOnce(3);
  }

  /** The first turn boundary, which is part of the claim, meets the fault; then the outage. */
  @Test
  void claimAfterAFailedTurnBoundaryIsRepeatedAfterAShortOutage() {
    kit.tamper(FAULT_BEFORE_BLIP);

    assertIsClaimedOnce(4);
  }

  private void assertIsClaimedOnce(int attempts) {
    kit.tamper(AT_THE_CLAIM);
    var session = kit.session(model -> model.says("gold"));

    kit.say(session, "Dig.");
    kit.awaitRest(session);

    assertThat(kit.outline(session)).containsExactly("user", "assistant");
    assertThat(
            kit.row(
                "select epoch from session where id = '" + session.value() + "'", Integer.class))
        .isEqualTo(1);
    assertThat(kit.row("select nextval('blip')", Integer.class)).isGreaterThan(attempts);
  }

  /** The result is delivered without a claim, and the claim of the job is repeated. */
  @Test
  void resultIsDeliveredAlthoughItsParentCannotBeClaimedAtOnce() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var parent =
        kit.session(
            model -> model.callsTaskInBackground("dig").says("I wait.").thenSays("There is gold."));
    kit.say(parent, "Dig.");
    kit.awaitState(parent, SessionState.IDLE);
    kit.tamper(BLIP);
    kit.tamper(AT_THE_CLAIM);

    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("There is gold.");
    assertThat(
            kit.row(
                """
                select attempts = 1 and available_at < created_at + interval '500 milliseconds' from outbox
                where session_id = '%s'
                """
                    .formatted(parent.value()),
                Boolean.class))
        .as("delivered at once")
        .isTrue();
  }

  @Test
  void resultOfAToolIsStoredAfterAShortOutage() {
    kit.tamper(BLIP);
    kit.tamper(
        "create trigger blip before update on tool_call for each row"
            + " when (new.state = 'done' and new.name = 'list') execute function blip()");
    var child = kit.child("plan", model -> model.calls("list", Map.of()).says("done"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "plan"));

    assertThat(kit.toolResults(task.child())).hasSize(1);
    assertThat(child.requests()).hasSize(2);
    assertThat(kit.takeovers(task.id())).isZero();
  }

  /** As when the calls of one message wait too long for each other. */
  @Test
  void delegationIsRepeatedAfterAShortOutage() {
    kit.tamper(BLIP);
    kit.tamper(
        "create trigger blip before insert on task for each row"
            + " when (new.prompt = 'precious') execute function blip()");
    kit.child("precious", model -> model.says("gold"));
    var root = kit.session(model -> model.callsTask("precious").thenSays("thanks"));

    kit.say(root, "Dig.");
    kit.awaitRest(root);

    assertThat(kit.toolResults(root).getFirst().text()).startsWith("gold");
    assertThat(kit.tasksOf(root)).hasSize(1);
    assertThat(
            kit.row(
                "select string_agg(data ->> 'reason', ' ' order by number) from event"
                    + " where type = 'session.state' and session_id = '"
                    + root.value()
                    + "'",
                String.class))
        .as("the run has not broken off, after which its session would be released")
        .contains("finished")
        .doesNotContain("released");
  }

  @Test
  void taskFailsWhenTheDatabaseRefusesThreeAttempts() {
    kit.tamper(
        "alter table message add constraint full_disk"
            + " check (role <> 'assistant' or content::text not like '%no space%') not valid");
    var child =
        kit.child("dig", model -> model.says("no space 1").says("no space 2").says("no space 3"));
    var parent = kit.externalSession();

    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    kit.awaitRest(parent);

    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(task.attempts()).isEqualTo(3);
    assertThat(kit.takeovers(task.id())).isZero();
    assertThat(child.requests()).hasSize(3);
    assertThat(error(task.outcome().orElseThrow()).code()).isEqualTo("database_error");
    assertThat(error(task.outcome().orElseThrow()).message()).contains("23514");
    assertThat(kit.transcript(parent).getLast().text()).contains("failed", "database_error");
    assertThat(retries(parent)).isEqualTo("1 database_error, 2 database_error");
    assertThat(task.outcome().toString() + kit.transcript(parent)).doesNotContain("no space");
  }

  @Test
  void runOfAPrimaryThatTheDatabaseRefusesEndsAndTheNextMessageWorks() {
    kit.tamper(
        "alter table message add constraint full_disk"
            + " check (role <> 'assistant' or content::text not like '%no space%') not valid");
    var root = kit.session(model -> model.says("no space").says("better"));

    kit.say(root, "Hello?");
    kit.awaitRest(root);
    assertThat(kit.look(root).state()).isEqualTo(SessionState.IDLE);
    kit.say(root, "And now?");
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("user", "system", "user", "assistant");
  }

  /** The details of an error, and the statements of a batch, contain the values of the row. */
  @Test
  void errorsContainNoValuesOfRows() {
    kit.tamper("create table if not exists canary (id text primary key)");
    var canary = "canary-" + UUID.randomUUID();
    var insert = "insert into canary (id) values (?)";

    jdbi.useHandle(handle -> {
      var single =
          catchThrowable(() -> {
            handle.execute(insert, canary);
            handle.execute(insert, canary);
          });
      var batch =
          catchThrowable(() -> handle.prepareBatch(insert).add(canary).add(canary).execute());
      for (var fault : List.of(single, batch)) {
        assertThat(fault).hasStackTraceContaining("canary_pkey");
        assertThat(Throwables.getStackTrace(fault)).doesNotContain(canary);
      }
    });
  }

  @Test
  void errorTextWithNulIsStored() {
    kit.child("dig", model -> model.fails(Code.MODEL_UNAUTHORIZED, "who\0are you"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig"));

    assertThat(error(task.outcome().orElseThrow()).message()).isEqualTo("who\ufffdare you");
    assertThat(task.attempts()).isEqualTo(1);
  }

  private String retries(SessionId parent) {
    return kit.row(
        """
        select string_agg(concat_ws(' ', data ->> 'attempt', data #>> '{error,code}'), ', ' order by number)
        from event where type = 'task.retrying' and session_id = '%s' and data ->> 'not_before' is not null
        """
            .formatted(parent.value()),
        String.class);
  }

  private static TaskOutcome.Error error(TaskOutcome outcome) {
    return Objects.requireNonNull(outcome.error());
  }
}
