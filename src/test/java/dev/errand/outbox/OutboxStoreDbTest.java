package dev.errand.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OutboxStoreDbTest {

  @Inject Jdbi jdbi;

  /**
   * Many rows that wait for their next attempt, and many posts, cost nothing. Without scans of the
   * table and sorting, because in a small table PostgreSQL prefers them.
   */
  @Test
  void searchReadsNoRowsThatAreNotDue() {
    var plan =
        jdbi.withHandle(handle -> {
          handle.execute("set enable_seqscan = off");
          handle.execute("set enable_sort = off");
          try {
            return String.join(
                "\n",
                handle
                    .createQuery("explain (costs off) " + OutboxStore.RECEIVERS)
                    .bind("limit", 100)
                    .mapTo(String.class)
                    .list());
          } finally {
            handle.execute("reset enable_seqscan");
            handle.execute("reset enable_sort");
          }
        });

    assertThat(plan)
        .contains("outbox_due_to_sessions")
        .contains("Index Cond: (available_at <= statement_timestamp())");
  }
}
