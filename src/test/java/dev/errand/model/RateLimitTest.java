package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitTest {

  @ParameterizedTest
  @CsvSource({"1s, 1000", "6m0s, 120000", "120ms, 120", "1m30.5s, 90500", "2, 2000", "0.25, 250"})
  void timeUntilTheResetIsRead(String reset, long millis) {
    var limit =
        limit(Map.of("x-ratelimit-remaining-requests", "7", "x-ratelimit-reset-requests", reset));

    assertThat(limit).contains(new RateLimit(7, Duration.ofMillis(millis)));
  }

  @Test
  void instantIsComparedWithTheDateOfTheAnswer() {
    var limit =
        limit(
            Map.of(
                "date", "Sat, 22 Nov 2025 10:00:00 GMT",
                "anthropic-ratelimit-requests-remaining", "0",
                "anthropic-ratelimit-requests-reset", "2025-11-22T10:00:20Z"));

    assertThat(limit).contains(new RateLimit(0, Duration.ofSeconds(20)));
  }

  @ParameterizedTest
  @CsvSource({"1763805620, 20", "1763805620000, 20", "7, 7"})
  void limitWithoutAKindCountsWhenItIsReached(String reset, long seconds) {
    var headers =
        Map.of(
            "date", "Sat, 22 Nov 2025 10:00:00 GMT",
            "x-ratelimit-remaining", "0",
            "x-ratelimit-reset", reset);

    assertThat(limit(headers)).contains(new RateLimit(0, Duration.ofSeconds(seconds)));
  }

  @Test
  void endpointWithoutTokensTakesNoCalls() {
    var limit =
        limit(
            Map.of(
                "x-ratelimit-remaining-requests", "499",
                "x-ratelimit-reset-requests", "120ms",
                "x-ratelimit-remaining-tokens", "0",
                "x-ratelimit-reset-tokens", "3s"));

    assertThat(limit).contains(new RateLimit(0, Duration.ofSeconds(3)));
  }

  @ParameterizedTest
  @CsvSource({"many, 1s", "3, soon", "3, ''", "-1, 1s"})
  void whatIsNotUnderstoodIsIgnored(String remaining, String reset) {
    var limit =
        limit(
            Map.of(
                "x-ratelimit-remaining-requests", remaining,
                "x-ratelimit-reset-requests", reset));

    assertThat(limit).isEmpty();
  }

  private static Optional<RateLimit> limit(Map<String, String> headers) {
    var lists =
        headers.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, header -> List.of(header.getValue())));
    return RateLimit.in(HttpHeaders.of(lists, (_, _) -> true));
  }
}
