package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** How often a running call is told of, and how much of it. */
class LiveOutputTest {

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final LiveOutput output = new LiveOutput(told::add);

  @Test
  void aCallThatIsOverWithinASecondTellsNothing() {
    for (int piece = 0; piece < 100; piece++) {
      output.said("piece " + piece);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void itsEndIsToldOnceASecondWhateverItSays() {
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(5))
        .until(() -> {
          output.said("😀 much is said, and it does not end ");
          return told.size() == 2;
        });

    assertThat(told)
        .allSatisfy(text -> {
          assertThat(text.length()).isBetween(1_000, 2_000);
          assertThat(Character.isLowSurrogate(text.charAt(0))).isFalse();
        });
  }

  @Test
  void whatWasSaidInTheFirstSecondIsToldAfterIt() {
    output.said("early");

    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> {
          output.said("");
          return !told.isEmpty();
        });

    assertThat(told).containsExactly("early");
  }

  @Test
  void aListenerThatFailsHarmsNobody() {
    var failing =
        new LiveOutput(text -> {
          told.add(text);
          throw new IllegalStateException("nobody is there");
        });

    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> {
          failing.said("x");
          return told.size() == 2;
        });
  }
}
