package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LocalCopyTest {

  private final AtomicReference<String> rows = new AtomicReference<>("first");
  private final AtomicInteger reads = new AtomicInteger();
  private final LocalCopy<String> copy = new LocalCopy<>("rows", this::read);

  private String read() {
    reads.incrementAndGet();
    var value = rows.get();
    if (value.isEmpty()) {
      throw new IllegalStateException("the database is away");
    }
    return value;
  }

  @Test
  void rowsAreReadOnce() {
    assertThat(copy.get()).isEqualTo("first");
    rows.set("second");
    assertThat(copy.get()).isEqualTo("first");
    assertThat(reads).hasValue(1);
    assertThat(copy.refresh()).isEqualTo("second");
    assertThat(copy.get()).isEqualTo("second");
  }

  @Test
  void copyIsKeptWhileRowsCannotBeRead() {
    var unused = copy.get();
    rows.set("");

    copy.refreshAfterChange();

    assertThat(reads).hasValue(2);
    assertThat(copy.get()).isEqualTo("first");
    assertThatThrownBy(copy::refresh).hasMessage("the database is away");
    rows.set("second");
    copy.refreshAfterChange();
    assertThat(copy.get()).isEqualTo("second");
  }

  @Test
  void copyThatWasNeverReadIsOld() {
    assertThat(copy.isOlderThan(Duration.ofDays(1))).isTrue();
    var unused = copy.get();
    assertThat(copy.isOlderThan(Duration.ofDays(1))).isFalse();
    assertThat(copy.isOlderThan(Duration.ZERO)).isTrue();
  }

  /** The second read waits for the first one, which began before the change. */
  @Test
  void olderCopyDoesNotReplaceANewerOne() {
    var began = new CountDownLatch(1);
    var mayEnd = new CountDownLatch(1);
    var isFirst = new AtomicBoolean(true);
    var slow =
        new LocalCopy<>(
            "rows",
            () -> {
              var value = rows.get();
              if (isFirst.getAndSet(false)) {
                began.countDown();
                await(mayEnd);
              }
              return value;
            });
    var older = CompletableFuture.supplyAsync(slow::refresh);
    await(began);
    rows.set("second");
    var newer = Thread.ofPlatform().start(slow::refresh);
    Awaitility.await().until(() -> newer.getState() == State.BLOCKED || !newer.isAlive());
    mayEnd.countDown();

    assertThat(older.join()).isEqualTo("first");
    Awaitility.await().until(() -> !newer.isAlive());
    assertThat(slow.get()).isEqualTo("second");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
