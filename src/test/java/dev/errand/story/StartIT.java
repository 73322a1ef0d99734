package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.DebianPostgres;
import dev.errand.kit.Service;
import dev.errand.kit.SilentServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packaged service starts on databases as operators have them, or says why it does not. */
class StartIT {

  /** The lock of Flyway for its table of the usual name. */
  private static final String MIGRATION_LOCK =
      "select pg_advisory_lock((18028::bigint << 32) + 4163491309)";

  private static final String WAITING = "Waiting for another node that migrates the database";

  /**
   * Java waits for its compilers, for 10 s at most. A stop that is not at once takes far longer.
   */
  private static final Duration AT_ONCE = Duration.ofSeconds(15);

  private static final Duration REFUSED_WITHIN = Duration.ofSeconds(30);
  private static final int ENDED_BY_SIGTERM = 143;

  @TempDir static Path folder;
  @TempDir Path home;
  private static DebianPostgres server;

  @BeforeAll
  static void start() throws IOException {
    server = DebianPostgres.start(folder);
    server.execute("postgres", "create role plain login");
  }

  @BeforeEach
  void newDatabase() {
    server.execute("postgres", "drop database if exists errand with (force)");
    server.execute("postgres", "create database errand");
    server.execute("errand", "create schema app authorization plain");
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void refusalIsOneSentence() throws Exception {
    var from = System.nanoTime();

    assertThat(Service.refusal(home, environment("errand", "plain")).strip())
        .matches("The role plain may not create tables .* grant usage, create on schema .*");

    try (var silent = new SilentServer("N")) {
      assertThat(Service.refusal(home, Map.of("ERRAND_DB_URL", silent.url())).strip())
          .matches("PostgreSQL at 127.0.0.1:\\d+ does not answer; .*");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(REFUSED_WITHIN);
  }

  /**
   * The schema of the role, and time-outs that the options of the URL cannot remove. A pasted URL
   * may end with a line break.
   */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          errand?options=-c%20search_path%3Dapp
          'errand?currentSchema=app&options=-c%20statement_timeout%3D0%20-c%20lock_timeout%3D0
          '
          """)
  void parametersOfTheUrlAreObeyedAndTimeOutsStayInForce(String database) throws Exception {
    try (var service = Service.startWithoutCopy(home, environment(database, "plain"));
        var locking = Jdbi.create(server.url("errand"), DebianPostgres.SUPERUSER, "").open()) {
      locking.begin();
      locking.execute("lock table app.session in access exclusive mode");

      assertThat(service.status("/v1/sessions")).isEqualTo(503);
      locking.rollback();
      assertThat(service.status("/v1/sessions")).isEqualTo(200);
    }
  }

  @Test
  void nodeWaitsForTheMigrationOfAnotherOneAndSaysSo(@TempDir Path otherHome) throws Exception {
    var impatient = environment("errand", DebianPostgres.SUPERUSER);
    impatient.put("ERRAND_DB_MIGRATION_WAIT", "2s");
    try (var other = Jdbi.create(server.url("errand"), DebianPostgres.SUPERUSER, "").open()) {
      other.execute(MIGRATION_LOCK);
      try (var patient = Service.launch(home, environment("errand", DebianPostgres.SUPERUSER));
          var stopped =
              Service.launch(otherHome, environment("errand", DebianPostgres.SUPERUSER))) {
        awaitLogged(stopped, WAITING);
        stopped.terminate();
        assertThat(stopped.awaitEnd()).isLessThan(AT_ONCE);

        assertThat(Service.refusal(folder.resolve("third"), impatient))
            .contains("Another node has not finished the migration of the database within 2 s");

        awaitLogged(patient, WAITING);
        other.execute(MIGRATION_LOCK.replace("lock", "unlock"));
        patient.awaitReady();
      }
    }
  }

  /** Each statement tells that the start has reached a certain point. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          select true
          select exists (select from pg_stat_activity where datname = 'errand' and pid <> pg_backend_pid())
          select to_regclass('flyway_schema_history') is not null
          select to_regclass('task') is not null
          """)
  void startEndsAtOnce(String reached) throws Exception {
    var look = Jdbi.create(server.url("errand"), DebianPostgres.SUPERUSER, "");
    try (var service = Service.launch(home, environment("errand", DebianPostgres.SUPERUSER))) {
      await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(REFUSED_WITHIN)
          .until(() ->
              look.withHandle(handle -> handle.createQuery(reached).mapTo(Boolean.class).one()));

      service.terminate();
      assertThat(service.awaitEnd()).isLessThan(AT_ONCE);
      assertThat(service.exitStatus()).isEqualTo(ENDED_BY_SIGTERM);
    }
  }

  @Test
  void startEndsAtOnceAlsoWithItsOwnDatabase() throws Exception {
    for (var file : new String[] {"postgres/base", "postgres/postmaster.pid"}) {
      try (var service = Service.launch(home, Map.of())) {
        await()
            .pollInterval(Duration.ofMillis(5))
            .atMost(REFUSED_WITHIN)
            .until(() -> Files.exists(home.resolve(file)));

        service.terminate();
        assertThat(service.awaitEnd()).isLessThan(AT_ONCE);
      }
    }

    try (var service = Service.startWithoutCopy(home, Map.of())) {
      assertThat(service.status("/v1/sessions")).isEqualTo(200);
    }
  }

  @Test
  void databaseThatCannotBeCreatedIsNamed() throws Exception {
    Files.createDirectories(home.resolve("postgres"));
    Files.writeString(home.resolve("postgres/notes.txt"), "mine");

    assertThat(Service.refusal(home, Map.of()).strip())
        .matches(
            "The embedded PostgreSQL does not start: directory .* exists but is not empty; its log"
                + " is .*postgres.log. ERRAND_DB_URL names a database of your own instead");
    assertThat(home.resolve("postgres/notes.txt")).hasContent("mine");
  }

  private Map<String, String> environment(String database, String user) {
    return new HashMap<>(Map.of("ERRAND_DB_URL", server.url(database), "ERRAND_DB_USER", user));
  }

  private static void awaitLogged(Service service, String text) {
    await()
        .atMost(REFUSED_WITHIN)
        .until(() -> service.logged().stream().anyMatch(line -> line.contains(text)));
  }
}
