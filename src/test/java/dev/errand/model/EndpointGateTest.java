package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.model.EndpointGate.Answer;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.model.ModelException.Code;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When an endpoint may be called, with a clock that the test moves. */
class EndpointGateTest {

  private static final ModelException GONE =
      new ModelException(Code.MODEL_UNREACHABLE, "cannot be reached");

  private final AtomicInteger opened = new AtomicInteger();
  private long now;
  private final EndpointGate gate =
      new EndpointGate(Duration.ofSeconds(1), () -> now, opened::incrementAndGet);

  @Test
  void endpointThatIsAwayIsCalledOnceASecond() {
    var inFlight = IntStream.range(0, 50).mapToObj(_ -> pass()).toList();
    inFlight.forEach(permit -> permit.failed(GONE));

    var calls = 0;
    for (int tenth = 0; tenth < 100; tenth++) {
      now += 100_000_000;
      for (int session = 0; session < 50; session++) {
        if (gate.ask() instanceof Answer.Pass pass) {
          pass.permit().failed(GONE);
          calls++;
        }
      }
    }

    assertThat(calls).isEqualTo(10);
    assertThat(gate.ask())
        .isInstanceOfSatisfying(Answer.Wait.class, wait -> assertThat(wait.away()).isSameAs(GONE));
  }

  @Test
  void fewFailuresDoNotCloseTheGate() {
    pass().failed(GONE);
    pass().failed(GONE);
    pass().answered();
    pass().failed(GONE);
    pass().failed(GONE);

    assertThat(gate.room()).isGreaterThan(1);
    assertThat(opened).hasValue(0);
  }

  @Test
  void oneAnswerOpensTheGateForAll() {
    fail(3);
    now += 1_000_000_000;
    assertThat(gate.room()).isEqualTo(1);
    var trial = pass();
    assertThat(gate.room()).isZero();

    trial.answered();

    assertThat(gate.room()).isGreaterThan(1);
    assertThat(opened).hasValue(1);
  }

  @Test
  void trialThatWasNotMadeLeavesItsPlaceToAnother() {
    fail(3);
    now += 1_000_000_000;

    pass().close();

    assertThat(gate.room()).isEqualTo(1);
  }

  @Test
  void faultOfTheRequestShowsThatTheEndpointIsThere() {
    fail(3);
    now += 1_000_000_000;

    pass().failed(new ModelException(Code.MODEL_REJECTED_REQUEST, "no"));

    assertThat(gate.room()).isGreaterThan(1);
  }

  @Test
  void endpointThatAsksForTimeGetsIt() {
    fail(2);
    pass()
        .failed(
            new ModelException(
                Code.MODEL_UNAVAILABLE, "later", Optional.of(Duration.ofSeconds(60)), GONE));
    now += Duration.ofSeconds(59).toNanos();

    assertThat(gate.ask())
        .isInstanceOfSatisfying(
            Answer.Wait.class, wait -> assertThat(wait.atLeast()).isEqualTo(Duration.ofSeconds(1)));
  }

  private void fail(int times) {
    IntStream.range(0, times).mapToObj(_ -> pass()).toList().forEach(permit -> permit.failed(GONE));
  }

  private Permit pass() {
    return ((Answer.Pass) gate.ask()).permit();
  }
}
