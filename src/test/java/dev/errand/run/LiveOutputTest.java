package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** How often the output of a running call is reported, and how much of it. */
class LiveOutputTest {

  private final List<String> reported = new CopyOnWriteArrayList<>();
  private final LiveOutput output = new LiveOutput(reported::add);

  @Test
  void callShorterThanASecondReportsNothing() {
    for (int piece = 0; piece < 100; piece++) {
      output.said("piece " + piece);
    }

    assertThat(reported).isEmpty();
  }

  @Test
  void tailOfTheOutputIsReportedOncePerSecond() {
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(5))
        .until(() -> {
          output.said("😀 a lot of output without an end ");
          return reported.size() == 2;
        });

    assertThat(reported)
        .allSatisfy(text -> {
          assertThat(text.length()).isBetween(1_000, 2_000);
          assertThat(Character.isLowSurrogate(text.charAt(0))).isFalse();
        });
  }

  @Test
  void outputOfTheFirstSecondIsReportedAfterIt() {
    output.said("early");

    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> {
          output.said("");
          return !reported.isEmpty();
        });

    assertThat(reported).containsExactly("early");
  }

  @Test
  void failureOfTheListenerDoesNotEndTheCall() {
    var failing =
        new LiveOutput(text -> {
          reported.add(text);
          throw new IllegalStateException("listener failed");
        });

    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> {
          failing.said("x");
          return reported.size() == 2;
        });
  }
}
