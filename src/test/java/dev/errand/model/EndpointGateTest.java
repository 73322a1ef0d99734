package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.model.EndpointGate.Permit;
import dev.errand.model.EndpointGates.GateAnswer;
import dev.errand.model.EndpointGates.GateCaller;
import dev.errand.model.ModelException.Code;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When an endpoint may be called, with a clock that the test moves. */
class EndpointGateTest {

  private static final ModelException GONE =
      new ModelException(Code.MODEL_UNREACHABLE, "cannot be reached");

  private final AtomicInteger opened = new AtomicInteger();
  private long now;
  private final EndpointGate gate =
      new EndpointGate(
          new EndpointGate.GateSettings(Duration.ofSeconds(1), 100),
          () -> now,
          opened::incrementAndGet);

  @Test
  void endpointThatIsAwayIsCalledOnceASecond() {
    var inFlight = IntStream.range(0, 50).mapToObj(_ -> pass()).toList();
    inFlight.forEach(permit -> permit.failed(GONE));

    var calls = 0;
    for (int tenth = 0; tenth < 100; tenth++) {
      now += 100_000_000;
      for (int session = 0; session < 50; session++) {
        if (gate.ask(GateCaller.RUN) instanceof GateAnswer.Pass pass) {
          pass.permit().failed(GONE);
          calls++;
        }
      }
    }

    assertThat(calls).isEqualTo(10);
    assertThat(gate.ask(GateCaller.RUN))
        .isInstanceOfSatisfying(
            GateAnswer.NotYet.class, wait -> assertThat(wait.away()).isSameAs(GONE));
  }

  @Test
  void fewFailuresDoNotCloseTheGate() {
    pass().failed(GONE);
    pass().failed(GONE);
    pass().answered();
    pass().failed(GONE);
    pass().failed(GONE);

    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.Pass.class);
    assertThat(opened).hasValue(0);
  }

  @Test
  void oneAnswerOpensTheGateForAll() {
    fail(3);
    now += 1_000_000_000;
    var trial = pass();
    assertThat(gate.setAside()).isFalse();

    trial.answered();

    assertThat(gate.setAside()).isTrue();
    assertThat(gate.setAside()).isTrue();
    assertThat(opened).hasValue(1);
  }

  @Test
  void trialThatWasNotMadeLeavesItsPlaceToAnother() {
    fail(3);
    now += 1_000_000_000;

    pass().close();

    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.Pass.class);
  }

  @Test
  void faultOfTheRequestShowsThatTheEndpointIsThere() {
    fail(3);
    now += 1_000_000_000;

    pass().failed(new ModelException(Code.MODEL_REJECTED_REQUEST, "no"));

    assertThat(gate.setAside()).isTrue();
    assertThat(gate.setAside()).isTrue();
  }

  @Test
  void endpointThatAsksForTimeGetsIt() {
    fail(2);
    pass()
        .failed(
            new ModelException(
                Code.MODEL_UNAVAILABLE, "later", Optional.of(Duration.ofSeconds(60)), GONE));
    now += Duration.ofSeconds(59).toNanos();

    assertThat(gate.ask(GateCaller.RUN))
        .isInstanceOfSatisfying(
            GateAnswer.NotYet.class,
            wait -> assertThat(wait.atLeast()).isEqualTo(Duration.ofSeconds(1)));
  }

  /** The pause may be that of one model or one key; only the call that got it waits for so long. */
  @Test
  void pauseOfADayClosesTheGateForTwoMinutes() {
    var day = Optional.of(Duration.ofDays(1));
    pass().failed(tooMany(day));
    now += Duration.ofMinutes(1).toNanos();
    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.NotYet.class);
    now += Duration.ofMinutes(2).toNanos();

    pass().failed(new ModelException(Code.MODEL_UNAVAILABLE, "later", day, GONE));
    now += Duration.ofMinutes(3).toNanos();
    pass().failed(new ModelException(Code.MODEL_UNAVAILABLE, "later", day, GONE));
    assertThat(gate.isAway()).isTrue();
    now += Duration.ofMinutes(3).toNanos();

    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.Pass.class);
  }

  @Test
  void callsThatWereSetAsideAndAreNotNeededAreGivenBackOneByOne() {
    IntStream.range(0, 100)
        .forEach(_ -> {
          now += 20_000_000;
          assertThat(gate.setAside()).isTrue();
        });
    now += 900_000_000;

    assertThat(gate.setAside()).isTrue();
    now += 200_000_000;
    var calls = IntStream.range(0, 50).mapToObj(_ -> pass()).toList();

    assertThat(calls).hasSize(50);
  }

  @Test
  void callsThatWereSetAsideBeforeAnOutageAreNotMade() {
    IntStream.range(0, 10).forEach(_ -> assertThat(gate.setAside()).isTrue());
    var earlier = IntStream.range(0, 3).mapToObj(_ -> pass()).toList();
    earlier.forEach(permit -> permit.failed(GONE));

    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.NotYet.class);
  }

  @Test
  void callThatWasNotMadeDuringAnOutageDoesNotHastenTheTrial() {
    var unused = pass();
    fail(3);

    unused.close();

    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.NotYet.class);
  }

  @Test
  void noMoreCallsThanAllowedAreMadeAtOnce() {
    var calls = IntStream.range(0, 100).mapToObj(_ -> passAfterAWhile()).toList();

    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.NotYet.class);
    assertThat(gate.setAside()).isFalse();
    calls.getFirst().answered();
    calls.getFirst().close();

    assertThat(opened).hasValue(1);
    assertThat(gate.ask(GateCaller.NEW)).isInstanceOf(GateAnswer.Pass.class);
  }

  /** Otherwise a session whose patience is over would ask again and again. */
  @Test
  void endpointThatIsAwayIsNotOnlyBusyWhileAllItsCallsHang() {
    var calls = IntStream.range(0, 100).mapToObj(_ -> passAfterAWhile()).toList();
    calls.subList(0, 3).forEach(permit -> permit.failed(GONE));
    now += Duration.ofSeconds(6).toNanos();

    assertThat(gate.isAway()).isTrue();
    assertThat(gate.ask(GateCaller.RUN))
        .isInstanceOfSatisfying(
            GateAnswer.NotYet.class, wait -> assertThat(wait.away()).isSameAs(GONE));
  }

  private Permit passAfterAWhile() {
    now += 50_000_000;
    return pass();
  }

  @Test
  void newTasksComeAfterRunsThatWait() {
    IntStream.range(0, 50).forEach(_ -> pass().answered());
    assertThat(gate.ask(GateCaller.RUN)).isInstanceOf(GateAnswer.Soon.class);
    now += 25_000_000;

    assertThat(gate.ask(GateCaller.NEW)).isInstanceOf(GateAnswer.NotYet.class);
    assertThat(gate.ask(GateCaller.RETURNING)).isInstanceOf(GateAnswer.Pass.class);
  }

  private void fail(int times) {
    IntStream.range(0, times).mapToObj(_ -> pass()).toList().forEach(permit -> permit.failed(GONE));
  }

  private Permit pass() {
    return ((GateAnswer.Pass) gate.ask(GateCaller.RUN)).permit();
  }

  /** An endpoint that takes 60 calls in each period of this length; an answer takes 50 ms. */
  @ParameterizedTest
  @CsvSource({"10, true", "10, false", "1, true", "60, true"})
  void endpointWithALimitRefusesFewCallsAndIsUsedWell(int seconds, boolean says) {
    var period = Duration.ofSeconds(seconds).toNanos();
    var window = -1L;
    var taken = 0;
    var refused = 0;
    var answered = 0;
    var calls = new ArrayDeque<Map.Entry<Long, Permit>>();
    for (; answered < 600; now += 1_000_000) {
      while (!calls.isEmpty() && calls.peek().getKey() <= now) {
        var permit = calls.remove().getValue();
        permit.answered();
        permit.close();
        answered++;
      }
      if (!gate.setAside()) {
        continue;
      }
      var permit = pass();
      if (now / period != window) {
        window = now / period;
        taken = 0;
      }
      if (taken++ < 60) {
        calls.add(Map.entry(now + 50_000_000, permit));
      } else {
        var left = Duration.ofNanos((window + 1) * period - now);
        permit.failed(tooMany(says ? Optional.of(left) : Optional.empty()));
        permit.close();
        refused++;
      }
    }

    assertThat(refused).isLessThan(answered / 20);
    assertThat(now / 1_000_000_000).isLessThan((says ? 13 : 16) * seconds);
  }

  /**
   * One call in 80 is refused, whatever the rate; the sessions of the node want 20 calls a second.
   */
  @Test
  void endpointThatRefusesAFewCallsForOtherReasonsIsStillUsed() {
    var made = 0;
    for (var tick = 0; tick < 30_000; tick++, now += 10_000_000) {
      if (made < tick / 5 && gate.setAside()) {
        var permit = pass();
        if (++made % 80 == 0) {
          permit.failed(tooMany(Optional.empty()));
        } else {
          permit.answered();
        }
        permit.close();
      }
    }

    assertThat(made).isGreaterThan(4000);
  }

  /** Time without calls is no reason to call faster than the endpoint has shown to accept. */
  @Test
  void learnedRateDoesNotGrowWhileNothingIsCalled() {
    for (int second = 0; second < 20; second++, now += 1_000_000_000) {
      if (gate.setAside()) {
        pass().failed(tooMany(Optional.empty()));
      }
    }
    now += Duration.ofHours(40).toNanos();

    var passed = 0;
    for (var end = now + Duration.ofSeconds(1).toNanos(); now < end; now += 1_000_000) {
      if (gate.setAside()) {
        pass().answered();
        passed++;
      }
    }
    assertThat(passed).isPositive().isLessThan(100);
  }

  private static ModelException tooMany(Optional<Duration> after) {
    return new ModelException(Code.MODEL_RATE_LIMITED, "too many calls", after, GONE);
  }
}
