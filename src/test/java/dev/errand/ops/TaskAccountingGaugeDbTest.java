package dev.errand.ops;

import static org.assertj.core.api.Assertions.assertThat;

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
  @Inject TaskAccountingGauge accounting;
  @Inject MeterRegistry registry;

  @Test
  void gaugeIsOneWhileATaskIsMissing() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));
    kit.submit(parent, "dig");
    kit.awaitRest(parent);
    assertThat(broken()).isZero();

    claimAccepted(1, parent);
    try {
      assertThat(broken()).isEqualTo(1);
      assertThat(broken()).isEqualTo(1);
    } finally {
      claimAccepted(-1, parent);
    }

    assertThat(broken()).isZero();
  }

  private double broken() {
    accounting.check();
    return registry.get("errand.conservation.broken").gauge().value();
  }

  /** Lets the tree count more accepted tasks than exist. */
  private void claimAccepted(int more, SessionId root) {
    kit.tamper("update tree set forgotten = forgotten - ? where root_id = ?", more, root.value());
  }
}
