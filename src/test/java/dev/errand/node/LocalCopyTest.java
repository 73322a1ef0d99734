package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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

  /** A read that began before a change, and ends after it, is followed by the one of the change. */
  @Test
  void olderCopyDoesNotReplaceANewerOne() throws Exception {
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
    began.await();
    rows.set("second");
    var newer = CompletableFuture.supplyAsync(slow::refresh);
    mayEnd.countDown();

    assertThat(older.get()).isEqualTo("first");
    assertThat(newer.get()).isEqualTo("second");
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
