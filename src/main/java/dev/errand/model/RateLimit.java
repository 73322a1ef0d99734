package dev.errand.model;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The limits that an endpoint reports with each answer.
 *
 * @param remaining calls that it takes now; one that has no more tokens takes none
 * @param resetsIn when it takes more again
 */
record RateLimit(long remaining, Duration resetsIn) {

  /** One answer, which may be wrong or concern another model, stops all calls at most this long. */
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** {@code 1s}, {@code 6m0s}, {@code 120ms}, {@code 1.5} (seconds). */
  private static final Pattern DURATION =
      Pattern.compile(
          "(?:(\\d{1,4})h)?(?:(\\d{1,4})m(?!s))?(?:(\\d{1,6}(?:\\.\\d{1,9})?)(?:s|$))?(?:(\\d{1,9})ms)?");

  /** Seconds or milliseconds since 1970. */
  private static final Pattern EPOCH = Pattern.compile("(\\d{10})(?:\\d{3})?");

  /**
   * Reads {@code x-ratelimit-remaining-requests} and the like of OpenAI, {@code
   * anthropic-ratelimit-requests-remaining} and the like of Anthropic, {@code
   * x-ratelimit-remaining} of OpenRouter and gateways.
   *
   * @return the narrowest limit; empty when the answer contains none
   */
  static Optional<RateLimit> in(HttpHeaders headers) {
    return Stream.of(
            calls(headers, "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
            calls(
                headers,
                "anthropic-ratelimit-requests-remaining",
                "anthropic-ratelimit-requests-reset"),
            tokens(headers, "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
            tokens(
                headers,
                "anthropic-ratelimit-tokens-remaining",
                "anthropic-ratelimit-tokens-reset"),
            tokens(headers, "x-ratelimit-remaining", "x-ratelimit-reset"))
        .flatMap(Optional::stream)
        .min((one, other) -> Long.compare(one.remaining(), other.remaining()));
  }

  private static Optional<RateLimit> calls(HttpHeaders headers, String remaining, String reset) {
    return number(headers, remaining)
        .flatMap(calls -> time(headers, reset).map(time -> new RateLimit(calls, time)));
  }

  private static Optional<RateLimit> tokens(HttpHeaders headers, String remaining, String reset) {
    return calls(headers, remaining, reset).filter(limit -> limit.remaining() <= 0);
  }

  private static Optional<Long> number(HttpHeaders headers, String name) {
    return headers
        .firstValue(name)
        .filter(value -> value.matches("\\d{1,15}"))
        .map(Long::parseLong);
  }

  private static Optional<Duration> time(HttpHeaders headers, String name) {
    return headers
        .firstValue(name)
        .flatMap(value -> duration(value).or(() -> until(value, headers)))
        .map(RateLimit::kept)
        .filter(Duration::isPositive);
  }

  /** Returns the part of a pause for which an endpoint is not called at all. */
  static Duration kept(Duration asked) {
    return asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
  }

  private static Optional<Duration> duration(String value) {
    var parts = DURATION.matcher(value);
    if (value.isEmpty() || !parts.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofHours(whole(parts, 1))
            .plusMinutes(whole(parts, 2))
            .plusMillis(
                parts.group(3) == null ? 0 : Math.round(Double.parseDouble(parts.group(3)) * 1000))
            .plusMillis(whole(parts, 4)));
  }

  private static long whole(Matcher parts, int group) {
    return parts.group(group) == null ? 0 : Long.parseLong(parts.group(group));
  }

  private static Optional<Duration> until(String value, HttpHeaders headers) {
    try {
      var epoch = EPOCH.matcher(value);
      return until(
          epoch.matches()
              ? Instant.ofEpochSecond(Long.parseLong(epoch.group(1)))
              : Instant.parse(value),
          headers);
    } catch (DateTimeException notATime) {
      return Optional.empty();
    }
  }

  /**
   * Returns how long it is to a time from the {@code Date} of the same answer, so that the clock of
   * this machine does not matter; empty if the answer has none.
   */
  static Optional<Duration> until(Instant time, HttpHeaders headers) {
    try {
      return headers
          .firstValue("date")
          .map(date -> ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant())
          .map(sent -> Duration.between(sent, time));
    } catch (DateTimeException noDate) {
      return Optional.empty();
    }
  }
}
