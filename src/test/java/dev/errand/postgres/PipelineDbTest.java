package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.Test;

@QuarkusTest
class PipelineDbTest {

  private static final String NAMES =
      "create temporary table name (id int primary key, text text) on commit drop";
  private static final String ADD = "insert into name (id, text) values (:id, :text)";
  private static final String ALL = "select id || ' ' || text from name order by id";
  private static final long LOCK = 4_711_081_542L;

  @Inject Jdbi jdbi;

  @Test
  void eachStatementHasItsOwnValuesAndSeesWhatTheOnesBeforeChanged() {
    var read =
        inTransaction(() -> {
          jdbi.useHandle(handle -> handle.execute(NAMES));
          var pipeline = new Pipeline();
          pipeline.update(Statement.of(ADD).bind("id", 1).bind("text", "one"));
          var first = texts(pipeline, Statement.of(ALL));
          pipeline.update(Statement.of(ADD).bind("id", 2).bind("text", "two"));
          var second = texts(pipeline, Statement.of(ALL));
          pipeline.execute(jdbi);
          return List.of(first.list(), second.list());
        });
    assertThat(read).containsExactly(List.of("1 one"), List.of("1 one", "2 two"));
  }

  @Test
  void failureEndsThePipelineAndItsTransaction() {
    var pipeline = new Pipeline();
    pipeline.update(Statement.of(ADD).bind("id", 1).bind("text", "one"));
    pipeline.update(Statement.of(ADD).bind("id", 1).bind("text", "again"));
    var after = texts(pipeline, Statement.of(ALL));
    assertThatThrownBy(() ->
            inTransaction(() -> {
              jdbi.useHandle(handle -> handle.execute(NAMES));
              pipeline.execute(jdbi);
              return true;
            }))
        .isInstanceOf(UnableToExecuteStatementException.class)
        .hasMessageContaining("duplicate key");
    assertThatThrownBy(after::list).hasMessageContaining("not executed");
  }

  /** Without a type, the driver sends the preceding statements first. */
  @Test
  void nullTimeHasAType() {
    var type = "select pg_typeof(:at)";
    var read =
        inTransaction(() -> {
          var pipeline = new Pipeline();
          var given = texts(pipeline, Statement.of(type).bind("at", Instant.EPOCH));
          var none = texts(pipeline, Statement.of(type).bind("at", (Instant) null));
          pipeline.execute(jdbi);
          return List.of(given.list(), none.list());
        });
    assertThat(read).containsOnly(List.of("timestamp with time zone"));
  }

  @Test
  void valuesOfEachKindAndNullArriveAsTheyAre() {
    var id = UUID.randomUUID();
    var now = Instant.parse("2026-11-27T08:00:00.123456Z");
    var given =
        values(
            Statement.of(
                    """
                    select concat_ws(' ', :id::uuid, :text::text, :number::int, :long::bigint, :is,
                                     :at::timestamptz at time zone 'utc', array_to_string(:all::text[], '+'))
                    """)
                .bind("id", id)
                .bind("text", "a\0b :text ? ::text")
                .bind("number", 7)
                .bind("long", 8_000_000_000L)
                .bind("is", true)
                .bind("at", now)
                .bindArray("all", "text", Stream.of("x", "y")));
    assertThat(given)
        .containsExactly(
            id + " a\ufffdb :text ? ::text 7 8000000000 t 2026-11-27 08:00:00.123456 x+y");
    var absent =
        values(
            Statement.of(
                    "select (num_nulls(:id::uuid, :text::text, :number::int, :long::bigint, :at::timestamptz))::text")
                .bind("id", (UUID) null)
                .bind("text", (String) null)
                .bind("number", (Integer) null)
                .bind("long", (Long) null)
                .bind("at", (Instant) null));
    assertThat(absent).containsExactly("5");
  }

  /** One transaction may end hundreds of tasks. */
  @Test
  void longPipelineIsSentInParts() {
    var count = 1000;
    var read =
        inTransaction(() -> {
          jdbi.useHandle(handle -> handle.execute(NAMES));
          var pipeline = new Pipeline();
          for (int id = 0; id < count; id++) {
            pipeline.update(Statement.of(ADD).bind("id", id).bind("text", "n"));
          }
          var all = texts(pipeline, Statement.of(ALL));
          pipeline.execute(jdbi);
          return all.list();
        });
    assertThat(read).hasSize(count).startsWith("0 n").endsWith("999 n");
  }

  @Test
  void emptyPipelineDoesNothing() {
    new Pipeline().execute(jdbi);
  }

  /** A session's inbox is read after its row was locked, in one pipeline. */
  @Test
  void statementAfterALockSeesWhatWasCommittedDuringTheWait() throws Exception {
    var tenant = "t" + UUID.randomUUID();
    var waiting =
        inTransaction(() -> {
          jdbi.useHandle(handle -> handle.execute("select pg_advisory_xact_lock(?)", LOCK));
          jdbi.useHandle(handle -> handle.execute("insert into tenant (id) values (?)", tenant));
          var other = CompletableFuture.supplyAsync(() -> inTransaction(() -> found(tenant)));
          await().until(this::lockIsAwaited);
          return other;
        });
    assertThat(waiting.get()).containsExactly(tenant);
    jdbi.useHandle(handle -> handle.execute("delete from tenant where id = ?", tenant));
  }

  private List<String> found(String tenant) {
    var pipeline = new Pipeline();
    var ignored =
        texts(
            pipeline, Statement.of("select pg_advisory_xact_lock(:lock)::text").bind("lock", LOCK));
    var tenants =
        texts(pipeline, Statement.of("select id from tenant where id = :id").bind("id", tenant));
    pipeline.execute(jdbi);
    return tenants.list();
  }

  private boolean lockIsAwaited() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select exists (select 1 from pg_locks
                               where locktype = 'advisory' and not granted
                                 and (classid::bigint << 32) + objid::bigint = :lock)
                """)
            .bind("lock", LOCK)
            .mapTo(boolean.class)
            .one());
  }

  private List<String> values(Statement statement) {
    var pipeline = new Pipeline();
    var values = texts(pipeline, statement);
    pipeline.execute(jdbi);
    return values.list();
  }

  private static Pipeline.Rows<String> texts(Pipeline pipeline, Statement statement) {
    return pipeline.query(statement, (row, _) -> row.getString(1));
  }

  private static <T> T inTransaction(Callable<T> work) {
    return QuarkusTransaction.requiringNew().call(work);
  }
}
