package dev.errand.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TaskAccountingGaugeDbTest implements Story {

  @Inject TaskKit kit;
  @Inject TaskAccounting accounting;
  @Inject MeterRegistry registry;

  @Test
  void gaugeIsOneWhileATaskIsMissing() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.submit(parent, "dig");
    kit.awaitRest(parent);
    checkUntil(0);

    claimAccepted(1, parent);
    try {
      checkUntil(1);
      checkUntil(1);
    } finally {
      claimAccepted(-1, parent);
    }

    checkUntil(0);
  }

  /** A check of the service that began earlier may end between a check and the look at it. */
  private void checkUntil(int broken) {
    await()
        .untilAsserted(() -> {
          accounting.check();
          assertThat(registry.get("errand.conservation.broken").gauge().value()).isEqualTo(broken);
        });
  }

  /** Lets the tree count more accepted tasks than exist. */
  private void claimAccepted(int more, SessionId root) {
    kit.tamper("update tree set forgotten = forgotten - ? where root_id = ?", more, root.value());
  }
}
