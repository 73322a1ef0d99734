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

    assertThat(memory.hold(one, chars(3))).isTrue();
    assertThat(memory.hold(two, chars(4))).isTrue();
    assertThat(memory.hold(two, chars(6))).as("4 and 7 of 10").isFalse();
    assertThat(memory.hold(two, chars(5))).as("4 and 6 of 10").isTrue();
  }

  @Test
  void conversationThatExceedsTheLimitAloneIsHeldAlone() {
    var large = run();
    var small = run();
    memory.hold(small, 0);

    assertThat(memory.hold(large, chars(20))).isFalse();
    memory.release(small);
    assertThat(memory.hold(large, chars(20))).isTrue();
    assertThat(memory.hold(run(), 0)).isFalse();
  }

  @Test
  void runThatHoldsTooMuchMayContinueUnlessItGrows() {
    var large = run();
    memory.hold(large, chars(20));
    var small = run();

    assertThat(memory.hold(small, 0)).isFalse();
    assertThat(memory.hold(large, chars(19))).isTrue();
    assertThat(memory.hold(large, chars(21))).as("alone").isTrue();
  }

  @Test
  void conversationThatIsUnloadedNeedsNoMemoryUntilItIsLoadedAgain() {
    var one = run();
    memory.hold(one, chars(6));
    var two = run();
    assertThat(memory.hold(two, chars(6))).isFalse();

    memory.unload(one);
    memory.unload(one);
    assertThat(memory.hold(two, chars(6))).as("1 and 7 of 10").isTrue();
    assertThat(memory.holdAgain(one, chars(6))).as("7 and 7 of 10").isFalse();
    assertThat(memory.holdAgain(one, chars(2))).as("3 and 7 of 10").isTrue();
  }

  @Test
  void runThatHasEndedHoldsNothingAgain() {
    var ended = run();
    memory.hold(ended, chars(1));
    memory.release(ended);

    memory.unload(ended);
    assertThat(memory.holdAgain(ended, chars(1))).isFalse();
    assertThat(memory.hold(run(), chars(9))).as("10 of 10").isTrue();
  }

  @Test
  void releaseTwiceReleasesOnce() {
    var one = run();
    memory.hold(one, chars(3));
    memory.hold(run(), chars(3));

    memory.release(one);
    memory.release(one);

    assertThat(memory.hold(run(), chars(6))).as("4 and 7 of 10").isFalse();
    assertThat(memory.hold(run(), chars(5))).as("4 and 6 of 10").isTrue();
  }

  @Test
  void newTaskBeginsWhenThereIsRoomAndNoSessionWasRefused() {
    var other = run();
    memory.hold(other, chars(8));
    assertThat(memory.hasRoom()).isTrue();

    memory.hold(run(), 0);
    assertThat(memory.hasRoom()).as("no room").isFalse();

    memory.release(other);
    var refused = run();
    assertThat(memory.hold(refused, chars(9))).isFalse();
    assertThat(memory.hasRoom()).as("a session was refused").isFalse();
    clock.addAndGet(Duration.ofSeconds(6).toNanos());
    assertThat(memory.hasRoom()).as("it runs elsewhere now").isTrue();
  }

  @Test
  void roomIsGivenInTheOrderInWhichSessionsAsk() {
    memory.hold(run(), chars(4));
    var refused = run();
    memory.hold(refused, chars(6));

    var room = memory.room();
    assertThat(room.take(session())).as("6 of 10").isTrue();
    assertThat(room.take(refused.lease().session())).as("13 of 10").isFalse();
    assertThat(room.take(session())).as("the refused one is next").isFalse();
  }

  @Test
  void refusedSessionThatStillWaitsIsRemembered() {
    memory.hold(run(), chars(4));
    var refused = run();
    memory.hold(refused, chars(6));

    for (int second = 0; second < 10; second++) {
      clock.addAndGet(Duration.ofSeconds(1).toNanos());
      assertThat(memory.room().take(refused.lease().session())).isFalse();
    }

    assertThat(memory.hasRoom()).isFalse();
  }

  @Test
  void sessionThatNeedsMoreThanTheLimitIsResumedAlone() {
    var other = run();
    memory.hold(other, 0);
    var large = run();
    memory.hold(large, chars(20));

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
