package dev.errand.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DeltaQueueTest {

  private static final SpokenCall CALL = new SpokenCall(SessionId.next(), SessionId.next(), 1, 1);

  private final ArrayList<DeltaQueue> closed = new ArrayList<>();
  private final DeltaQueue queue = new DeltaQueue(closed::add);

  private static MessageDelta delta(long offset) {
    return new MessageDelta(CALL, Instant.EPOCH, offset, "x");
  }

  @Test
  @Timeout(30)
  void fullQueueDropsTheNewestWords() throws InterruptedException {
    LongStream.range(0, 1_000).mapToObj(DeltaQueueTest::delta).forEach(queue::add);

    for (long offset = 0; offset < 64; offset++) {
      assertThat(queue.next()).contains(delta(offset));
    }
    queue.add(delta(2_000));
    assertThat(queue.next()).contains(delta(2_000));
  }

  @Test
  @Timeout(30)
  void closedQueueEndsAlsoWhenItIsFull() throws InterruptedException {
    var ended = new ArrayList<Boolean>();
    var reader = Thread.ofVirtual().unstarted(() -> readToTheEnd(ended));
    LongStream.range(0, 1_000).mapToObj(DeltaQueueTest::delta).forEach(queue::add);
    queue.close();
    queue.add(delta(0));

    reader.start();
    reader.join();

    assertThat(ended).containsExactly(true);
    assertThat(closed).containsExactly(queue);
  }

  private void readToTheEnd(ArrayList<Boolean> ended) {
    try {
      while (queue.next().isPresent()) {}
      ended.add(true);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
