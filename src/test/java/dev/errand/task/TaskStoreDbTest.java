package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.outbox.DeliveryState;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** What reading one task costs: clients poll it. */
@QuarkusTest
class TaskStoreDbTest implements Story {

  /** What this connection has read, by table or index; a table that was read whole is named. */
  private static final String READS =
      """
      select oid::regclass::text as name, pg_stat_get_xact_numscans(oid) as reads from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
        and (relkind = 'i' or pg_stat_get_xact_tuples_returned(oid) > 0)
      """;

  @Inject TaskKit kit;
  @Inject TaskStore store;
  @Inject Jdbi jdbi;

  @Test
  void runningTaskIsReadOnlyByItsPrimaryKey() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);

    assertThat(readBy(task)).containsExactly("task_pkey");

    gate.open();
    kit.awaitEnd(task);
  }

  @Test
  void endedTaskIsReadWithItsDelivery() {
    kit.child("dig", script -> script.says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    kit.awaitEnd(task);
    kit.awaitDelivery(task);

    assertThat(kit.look(task).delivery()).contains(DeliveryState.DELIVERED);
    assertThat(readBy(task))
        .containsExactlyInAnyOrder(
            "task_pkey", "outbox_task_id_kind_target_key", "worktree_change_pkey");
  }

  /** The indexes that a look-up has used, and the tables that it has read whole. */
  private Set<String> readBy(TaskId task) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          jdbi.useHandle(handle -> handle.execute("set local enable_seqscan = off"));
          var before = reads();
          assertThat(store.find(task)).isPresent();
          var after = new HashMap<>(reads());
          after.entrySet().removeAll(before.entrySet());
          return Set.copyOf(after.keySet());
        });
  }

  private Map<String, Long> reads() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(READS)
            .map((row, _) -> Map.entry(row.getString("name"), row.getLong("reads")))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }
}
