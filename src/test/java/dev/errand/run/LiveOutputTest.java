package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.secret.Secrets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How often the output of a running call is reported, and how much of it. */
class LiveOutputTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final List<String> reported = new CopyOnWriteArrayList<>();
  private final AtomicLong now = new AtomicLong();

  private LiveOutput output(Consumer<String> recorder) {
    return new LiveOutput(recorder, now::get);
  }

  @Test
  void callShorterThanASecondReportsNothing() {
    var output = output(reported::add);

    for (int piece = 0; piece < 100; piece++) {
      output.said("piece " + piece);
      now.addAndGet(SECOND / 101);
    }

    assertThat(reported).isEmpty();
  }

  @Test
  void tailOfTheOutputIsReportedOncePerSecond() {
    var output = output(reported::add);

    for (int hundredth = 0; hundredth <= 250; hundredth++) {
      var reports = hundredth / 100;
      output.said("😀 a lot of output without an end ");
      if (hundredth % 100 == 0) {
        await("the one before has ended, and this one is reported")
            .atMost(Duration.ofSeconds(60))
            .until(() -> {
              output.said("😀");
              return reported.size() == reports;
            });
      }
      now.addAndGet(SECOND / 100);
    }

    assertThat(reported)
        .hasSize(2)
        .allSatisfy(text -> {
          assertThat(text.length()).isBetween(1_000, 2_000);
          assertThat(Character.isLowSurrogate(text.charAt(0))).isFalse();
        });
  }

  @Test
  void outputOfTheFirstSecondIsReportedAfterIt() {
    var output = output(reported::add);

    output.said("early");
    now.addAndGet(SECOND);
    output.said("");
    await().atMost(Duration.ofSeconds(60)).until(() -> !reported.isEmpty());

    assertThat(reported).containsExactly("early");
  }

  @Test
  void aSecretInTwoPiecesIsMasked() {
    Secrets.register("canary-of-the-output");
    var output = output(reported::add);

    output.said("key: canary-of");
    output.said("-the-output!");
    now.addAndGet(SECOND);
    output.said("");
    await().atMost(Duration.ofSeconds(60)).until(() -> !reported.isEmpty());

    assertThat(reported).containsExactly("key: ***!");
  }

  @Test
  void failureOfTheListenerDoesNotEndTheCall() {
    var failing =
        output(text -> {
          reported.add(text);
          throw new IllegalStateException("listener failed");
        });

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> {
          now.addAndGet(SECOND);
          failing.said("x");
          return reported.size() >= 2;
        });
  }
}
