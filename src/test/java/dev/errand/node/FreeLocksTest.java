package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FreeLocksTest {

  private static final UUID NODE = new UUID(1, 2);

  /**
   * Looks at these milliseconds; at those with a minus sign the lock is not free. The node is dead
   * at the last one, and at none before.
   */
  @ParameterizedTest
  @CsvSource({
    "0 1000 2000 3000",
    "0 1000 2000 2990",
    "0 1005 1990 2985",
    "300 1120 2130 3110",
    "0 1000 2000 2400 3400",
    "400 1000 2000 3000",
    "0 1000 2400 3000",
    "0 700 1400 2100 2800",
    "0 1000 -2000 3000 4000 5000 6000",
    "-0 1000 2000 3000 4000",
    "0 1000 9000",
    "0 -2900 3000 4000 5000 5900"
  })
  void nodeIsDeadWhenItsLockWasFreeAtTheLooksOfThreeSeconds(String looks) {
    var locks = new FreeLocks();
    var all = looks.split(" ");

    for (int i = 0; i < all.length; i++) {
      var free = all[i].startsWith("-") ? List.<UUID>of() : List.of(NODE);
      var at = TimeUnit.MILLISECONDS.toNanos(Math.abs(Long.parseLong(all[i])));
      var dead = locks.look(free, at);
      assertThat(dead).as(all[i]).hasSize(i == all.length - 1 ? 1 : 0);
    }
  }
}
