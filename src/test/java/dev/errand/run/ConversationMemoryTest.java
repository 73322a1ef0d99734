package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.session.Lease;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConversationMemoryTest {

  private static final int FREE_RUNS = 10;

  private final AtomicLong clock = new AtomicLong();
  private final ConversationMemory memory =
      new ConversationMemory(FREE_RUNS * ConversationMemory.RUN_BYTES, clock::get);

  @Test
  void conversationGrowsUntilTheLimitOfAllRuns() {
    var one = run();
    var two = run();

    assertThat(memory.reserve(one, chars(3))).isTrue();
    assertThat(memory.reserve(two, chars(4))).isTrue();
    assertThat(memory.reserve(two, chars(6))).as("4 and 7 of 10").isFalse();
    assertThat(memory.reserve(two, chars(5))).as("4 and 6 of 10").isTrue();
  }

  @Test
  void conversationThatExceedsTheLimitIsLoadedWhenNoOtherIs() {
    var large = run();
    var small = run();
    memory.reserve(small, 0);

    assertThat(memory.reserve(large, chars(20))).isFalse();
    memory.release(small);
    assertThat(memory.reserve(large, chars(20))).isTrue();
    assertThat(memory.reserve(run(), 0)).isFalse();
  }

  @Test
  void runThatUsesTooMuchMayContinueUnlessItGrows() {
    var large = run();
    memory.reserve(large, chars(20));
    var small = run();

    assertThat(memory.reserve(small, 0)).isFalse();
    assertThat(memory.reserve(large, chars(19))).isTrue();
    assertThat(memory.reserve(large, chars(21))).as("alone").isTrue();
  }

  @Test
  void conversationThatIsUnloadedNeedsNoMemoryUntilItIsLoadedAgain() {
    var one = run();
    memory.reserve(one, chars(6));
    var two = run();
    assertThat(memory.reserve(two, chars(6))).isFalse();

    memory.unload(one, 0);
    memory.unload(one, 0);
    assertThat(memory.reserve(two, chars(6))).as("1 and 7 of 10").isTrue();
    assertThat(memory.reserveAgain(one, chars(6))).as("7 and 7 of 10").isFalse();
    assertThat(memory.reserveAgain(one, chars(2))).as("3 and 7 of 10").isTrue();
  }

  @Test
  void requestThatIsKeptStillNeedsItsMemory() {
    var one = run();
    memory.reserve(one, chars(6));

    memory.unload(one, 3 * ConversationMemory.BYTES_PER_CHAR * chars(1));

    assertThat(memory.reserve(run(), chars(6))).as("4 and 7 of 10").isFalse();
    assertThat(memory.reserve(run(), chars(5))).as("4 and 6 of 10").isTrue();
  }

  @Test
  void runThatHasEndedReservesNothingAgain() {
    var ended = run();
    memory.reserve(ended, chars(1));
    memory.release(ended);

    memory.unload(ended, 0);
    assertThat(memory.reserveAgain(ended, chars(1))).isFalse();
    assertThat(memory.reserve(run(), chars(9))).as("10 of 10").isTrue();
  }

  @Test
  void releaseTwiceReleasesOnce() {
    var one = run();
    memory.reserve(one, chars(3));
    memory.reserve(run(), chars(3));

    memory.release(one);
    memory.release(one);

    assertThat(memory.reserve(run(), chars(6))).as("4 and 7 of 10").isFalse();
    assertThat(memory.reserve(run(), chars(5))).as("4 and 6 of 10").isTrue();
  }

  @Test
  void newTaskBeginsWhenThereIsRoomAndNoSessionWasRefused() {
    var other = run();
    memory.reserve(other, chars(8));
    assertThat(memory.hasRoom()).isTrue();

    memory.reserve(run(), 0);
    assertThat(memory.hasRoom()).as("no room").isFalse();

    memory.release(other);
    var refused = run();
    assertThat(memory.reserve(refused, chars(9))).isFalse();
    assertThat(memory.hasRoom()).as("a session was refused").isFalse();
    clock.addAndGet(Duration.ofSeconds(6).toNanos());
    assertThat(memory.hasRoom()).as("it runs elsewhere now").isTrue();
  }

  @Test
  void roomIsGivenInTheOrderInWhichSessionsAsk() {
    memory.reserve(run(), chars(4));
    var refused = run();
    memory.reserve(refused, chars(6));

    var room = memory.room();
    assertThat(room.take(session())).as("6 of 10").isTrue();
    assertThat(room.take(refused.lease().session())).as("13 of 10").isFalse();
    assertThat(room.take(session())).as("the refused one is next").isFalse();
  }

  @Test
  void refusedSessionThatStillWaitsIsRemembered() {
    memory.reserve(run(), chars(4));
    var refused = run();
    memory.reserve(refused, chars(6));

    for (int second = 0; second < 10; second++) {
      clock.addAndGet(Duration.ofSeconds(1).toNanos());
      assertThat(memory.room().take(refused.lease().session())).isFalse();
    }

    assertThat(memory.hasRoom()).isFalse();
  }

  @Test
  void sessionThatNeedsMoreThanTheLimitIsResumedWhenNoOtherRuns() {
    var other = run();
    memory.reserve(other, 0);
    var large = run();
    memory.reserve(large, chars(20));

    assertThat(memory.room().take(large.lease().session())).isFalse();
    memory.release(other);
    var room = memory.room();
    assertThat(room.take(large.lease().session())).isTrue();
    assertThat(room.take(session())).isFalse();
  }

  /** As many characters as need that many times the memory of a run. */
  private static long chars(int runs) {
    return runs * ConversationMemory.RUN_BYTES / ConversationMemory.BYTES_PER_CHAR;
  }

  private static Run run() {
    return new Run(new Lease(session(), 1), Duration.ofMinutes(5), () -> true);
  }

  private static SessionId session() {
    return SessionId.next();
  }
}
