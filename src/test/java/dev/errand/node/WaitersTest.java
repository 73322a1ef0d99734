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

class WaitersTest {

  private final Set<String> done = ConcurrentHashMap.newKeySet();
  private final AtomicInteger checks = new AtomicInteger();
  private final Waiters<String> waiters = new Waiters<>(this::findDone);

  private Set<String> findDone(Set<String> keys) {
    checks.incrementAndGet();
    return keys.stream().filter(done::contains).collect(Collectors.toSet());
  }

  @Test
  void conditionThatIsTrueAlreadyIsNotWaitedFor() throws InterruptedException {
    done.add("a");

    assertThat(waiters.await("a", Duration.ZERO)).isTrue();
  }

  @Test
  void waitingEndsAtItsLimit() throws InterruptedException {
    assertThat(waiters.await("a", Duration.ofMillis(5))).isFalse();
  }

  @Test
  void oneCheckReleasesAllCallersThatWaitForTheSameKey()
      throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = threads.submit(() -> waiters.await("a", Duration.ofMinutes(1)));
      var second = threads.submit(() -> waiters.await("a", Duration.ofMinutes(1)));
      await().atMost(Duration.ofSeconds(60)).until(() -> checks.get() == 2);

      done.add("a");
      waiters.check();

      assertThat(first.get()).isTrue();
      assertThat(second.get()).isTrue();
      assertThat(checks).hasValue(3);
    }
  }

  @Test
  void callerThatReachesItsLimitDoesNotAffectTheOthers()
      throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var patient = threads.submit(() -> waiters.await("a", Duration.ofMinutes(1)));
      await().atMost(Duration.ofSeconds(60)).until(() -> checks.get() == 1);
      assertThat(waiters.await("a", Duration.ofMillis(1))).isFalse();

      done.add("a");
      waiters.check();

      assertThat(patient.get()).isTrue();
    }
  }

  @Test
  void closingReleasesAllCallers() throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var waiting = threads.submit(() -> waiters.await("a", Duration.ofMinutes(1)));
      await().atMost(Duration.ofSeconds(60)).until(() -> checks.get() == 1);

      waiters.close();

      assertThat(waiting.get()).isFalse();
      assertThat(waiters.await("a", Duration.ofMinutes(1))).isFalse();
    }
  }
}
