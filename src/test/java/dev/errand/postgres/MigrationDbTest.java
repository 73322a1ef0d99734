package dev.errand.postgres;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Baseline;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service of this version starts on a database of the baseline and finishes what it finds. */
@QuarkusTest
@TestProfile(Baseline.class)
class MigrationDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Flyway flyway;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @Override
  @BeforeEach
  public void begin() {
    kit.beginBesideRuns();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void tasksParentsAndDeliveriesOfTheBaselineFinish() {
    var waiting = root("waiting parent");
    var background = root("parent of background tasks");
    var external = root("external parent");
    var dead = root("dead delivery");
    var pending = root("pending delivery");
    kit.child("dig", model -> model.says("gold"));
    kit.child("stroll", model -> model.says("fresh air"));
    kit.child("wash", model -> model.says("clean"));
    kit.child("sail", model -> model.says("land"));
    kit.script(waiting, model -> model.says("We found gold."));
    kit.script(background, model -> model.saysForever("Noted."));
    kit.tamper("update callback set url = ?", receiver.url());

    kit.tamper(Baseline.END_NODE);
    given().post("/v1/deliveries/{id}/retry", deadDelivery(dead)).then().statusCode(200);
    receiver.awaitPosts(2);
    for (var root : new SessionId[] {waiting, background, external, dead, pending}) {
      kit.awaitRest(root);
    }

    assertThat(kit.outline(waiting))
        .containsExactly("user", "assistant: task", "tool", "assistant");
    assertThat(kit.toolResults(waiting).getFirst().text()).startsWith("gold");
    assertThat(kit.outline(background)).contains("notice").endsWith("assistant");
    assertThat(kit.tasksOf(background)).hasSize(2).allMatch(task -> task.outcome().isPresent());
    assertThat(kit.outline(external)).containsExactly("notice");
    assertThat(kit.outline(dead)).containsExactly("notice");
    assertThat(kit.outline(pending)).containsExactly("notice");
  }

  @Test
  void theBaselineIsNotChanged() {
    assertThat(
            kit.row(
                "select checksum from flyway_schema_history where version = '1'", Integer.class))
        .as("V1__schema.sql is as it was; every change of the schema is a new migration")
        .isEqualTo(SchemaHistoryCheck.BASELINE);
    assertThat(flyway.info().pending()).isEmpty();
  }

  /** A change of large tables takes longer than any statement of the service may. */
  @Test
  void migrationsHaveNoTimeOutsExceptForLocks(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("V1__limits.sql"),
        "create table seen as select name, setting from pg_settings where name like '%timeout%';");

    Flyway.configure(MigrationDbTest.class.getClassLoader())
        .dataSource(flyway.getConfiguration().getDataSource())
        .initSql(flyway.getConfiguration().getInitSql())
        .locations("filesystem:" + folder)
        .schemas("apart")
        .load()
        .migrate();

    assertThat(limit("statement_timeout")).isEqualTo("0");
    assertThat(limit("idle_in_transaction_session_timeout")).isEqualTo("0");
    assertThat(limit("lock_timeout")).isEqualTo("2000");
    assertThat(kit.row("show statement_timeout", String.class)).isEqualTo("10s");
  }

  private String limit(String name) {
    return kit.row("select setting from apart.seen where name = '" + name + "'", String.class);
  }

  private SessionId root(String title) {
    var id = kit.row("select id from session where title = '" + title + "'", UUID.class);
    return kit.watch(new SessionId(id));
  }

  private String deadDelivery(SessionId session) {
    return given()
        .queryParam("state", "dead")
        .queryParam("session_id", session.toString())
        .get("/v1/deliveries")
        .then()
        .statusCode(200)
        .extract()
        .path("items[0].id");
  }
}
