package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WaitsTest {

  private final Set<String> done = ConcurrentHashMap.newKeySet();
  private final AtomicInteger looks = new AtomicInteger();
  private final Waiters<String> waits = new Waiters<>(this::look);

  private Set<String> look(Set<String> keys) {
    looks.incrementAndGet();
    return keys.stream().filter(done::contains).collect(Collectors.toSet());
  }

  @Test
  void whatIsSoAlreadyIsNotWaitedFor() throws InterruptedException {
    done.add("a");

    assertThat(waits.await("a", Duration.ZERO)).isTrue();
  }

  @Test
  void waitingEndsWithItsLimit() throws InterruptedException {
    assertThat(waits.await("a", Duration.ofMillis(5))).isFalse();
  }

  @Test
  void allWhoWaitForTheSameGoOnAfterOneLook() throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = threads.submit(() -> waits.await("a", Duration.ofMinutes(1)));
      var second = threads.submit(() -> waits.await("a", Duration.ofMinutes(1)));
      await().until(() -> looks.get() == 2);

      done.add("a");
      waits.check();

      assertThat(first.get()).isTrue();
      assertThat(second.get()).isTrue();
      assertThat(looks).hasValue(3);
    }
  }

  @Test
  void whoGivesUpDoesNotKeepTheOthersWaiting() throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var patient = threads.submit(() -> waits.await("a", Duration.ofMinutes(1)));
      await().until(() -> looks.get() == 1);
      assertThat(waits.await("a", Duration.ofMillis(1))).isFalse();

      done.add("a");
      waits.check();

      assertThat(patient.get()).isTrue();
    }
  }
}
