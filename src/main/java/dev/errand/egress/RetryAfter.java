package dev.errand.egress;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the header {@code Retry-After} (RFC 9110, 10.2.3): seconds, or a date, which is compared
 * with the {@code Date} of the same response so that the local clock does not matter.
 */
public final class RetryAfter {

  private static final Pattern SECONDS = Pattern.compile("\\d{1,6}(\\.\\d{1,9})?");

  private RetryAfter() {}

  /** Returns how long to wait; empty if the header is missing or not valid. */
  public static Optional<Duration> in(HttpHeaders headers) {
    return headers
        .firstValue("retry-after")
        .flatMap(value -> seconds(value).or(() -> until(value, headers)))
        .filter(wait -> !wait.isNegative());
  }

  private static Optional<Duration> seconds(String value) {
    return SECONDS.matcher(value).matches()
        ? Optional.of(Duration.ofMillis(Math.round(Double.parseDouble(value) * 1000)))
        : Optional.empty();
  }

  private static Optional<Duration> until(String value, HttpHeaders headers) {
    return headers
        .firstValue("date")
        .flatMap(RetryAfter::date)
        .flatMap(sent -> date(value).map(until -> Duration.between(sent, until)));
  }

  private static Optional<ZonedDateTime> date(String value) {
    try {
      return Optional.of(ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME));
    } catch (DateTimeException noDate) {
      return Optional.empty();
    }
  }
}
