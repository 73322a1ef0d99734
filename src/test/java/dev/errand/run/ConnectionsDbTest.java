package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.StallTool;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/**
 * No database connection or transaction is open during model calls and tool calls (architecture,
 * rule 2).
 */
@QuarkusTest
class ConnectionsDbTest implements Story {

  private static final String IN_TRANSACTION =
      "select count(*) from pg_stat_activity where state like 'idle in transaction%'";

  @Inject TaskKit kit;
  @Inject StallTool stall;

  @ConfigProperty(name = "quarkus.datasource.jdbc.max-size")
  int poolSize;

  @Test
  void moreModelCallsThanConnectionsHangAtTheSameTime() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.children(_ -> new Script().at(gate).says("done"));

    for (int task = 0; task < poolSize + 10; task++) {
      kit.submit(parent, "hang " + task);
    }
    gate.awaitArrivals(poolSize + 10);

    await("no transaction lasts").until(() -> kit.row(IN_TRANSACTION, Long.class) == 0);
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).hasSize(poolSize + 10).containsOnly("notice");
  }

  @Test
  void moreToolCallsThanConnectionsHangAtTheSameTime() {
    var gate = new Gate();
    stall.waitAt(gate);
    var parent = kit.externalSession();
    kit.children(_ -> new Script().calls("stall", Map.of()).thenSays("done"));

    for (int task = 0; task < poolSize + 10; task++) {
      kit.submit(parent, "hang " + task);
    }
    gate.awaitArrivals(poolSize + 10);

    await("no transaction lasts").until(() -> kit.row(IN_TRANSACTION, Long.class) == 0);
    gate.open();
    kit.awaitRest(parent);
  }
}
