package dev.errand.task;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.task.SlotAdmission.TenantTurns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tenants with waiting tasks get slots in proportion to their weights. */
class TenantTurnsTest {

  private final TenantTurns turns = new TenantTurns();

  @Test
  void equalTenantsAlternate() {
    assertThat(served(Map.of("a", 1, "b", 1), 6)).containsExactly("a", "b", "a", "b", "a", "b");
  }

  @Test
  void weightsAreShares() {
    assertThat(served(Map.of("a", 1, "b", 3), 8))
        .containsExactly("a", "b", "b", "b", "a", "b", "b", "b");
  }

  @Test
  void newcomerIsNextAndHasNoCredit() {
    var ignored = served(Map.of("a", 1), 1000);

    assertThat(served(Map.of("a", 1, "b", 1), 4)).containsExactly("b", "a", "b", "a");
  }

  /** Of a random set, none is away from its share by more than one slot for each tenant. */
  @Test
  void sharesAreProportionalAtAnyTime() {
    LongStream.range(0, 200).forEach(this::sharesAreProportional);
  }

  private void sharesAreProportional(long seed) {
    var random = new Random(seed);
    var weights =
        IntStream.range(0, 2 + random.nextInt(5))
            .boxed()
            .collect(toMap(number -> "tenant-" + number, _ -> 1 + random.nextInt(9)));
    var total = weights.values().stream().mapToInt(Integer::intValue).sum();
    var slots = 50 + random.nextInt(500);
    var counts = new HashMap<String, Integer>();
    served(new TenantTurns(), weights, slots)
        .forEach(tenant -> counts.merge(tenant, 1, Integer::sum));

    weights.forEach((tenant, weight) ->
        assertThat((double) counts.getOrDefault(tenant, 0))
            .as("seed %d, %s of %s", seed, tenant, weights)
            .isBetween(
                (double) slots * weight / total - weights.size(),
                (double) slots * weight / total + weights.size()));
  }

  private List<String> served(Map<String, Integer> weights, int slots) {
    return served(turns, weights, slots);
  }

  private static List<String> served(TenantTurns turns, Map<String, Integer> weights, int slots) {
    return IntStream.range(0, slots)
        .mapToObj(_ -> {
          var tenant = turns.first(weights.keySet()).orElseThrow();
          turns.served(tenant, weights.getOrDefault(tenant, 0));
          return tenant;
        })
        .toList();
  }
}
