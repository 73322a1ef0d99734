package dev.errand.model;

import dev.errand.egress.RetryAfter;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The time when a refused request may be made again, as its answer says it. */
final class RetryTime {

  /** For a time that is in the past, or cannot be compared because the answer has no date. */
  private static final Duration SOON = Duration.ofMinutes(1);

  private static final String AMOUNT =
      "(\\d{1,9}(?:\\.\\d{1,9})?) ?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)\\b";

  private static final Pattern PART = Pattern.compile("(?i)" + AMOUNT.replace("\\b", ""));

  /**
   * "Please try again in 1m4.5s", "Please retry after 26 seconds", "Please wait 41123 seconds",
   * "Your limit will reset in 3 hours".
   */
  private static final Pattern SPAN =
      Pattern.compile(
          "(?i)\\b(?:try(?:ing)? (?:\\w+ )?again|retry(?:ing)?|wait(?:ing)?|resets?|available again|come back)"
              + "(?: (?:in|after|for|at least|about|another|the|request|your))*:? ?~?((?:\\d{1,9}(?:\\.\\d{1,9})? ?"
              + "(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])[ ,]*(?:and )?)+"
              + "|(?:\\d{1,4}(?:\\.\\d{1,9})?[dhms]){2,4})");

  /** {@code "retryDelay": "23s"} of Google, {@code "retry_after": 12}, {@code retry-after: 12}. */
  private static final Pattern FIELD =
      Pattern.compile(
          "(?im)^(?:retry[-_]?(?:delay|after|in)|resets?[-_]?(?:in|after))(?:[-_]?(ms|milliseconds)|[-_]?(?:seconds|secs?|s))?:"
              + " (\\d{1,9}(?:\\.\\d{1,9})?)(s|ms|m|h)?$");

  /** Seconds or milliseconds since 1970. */
  private static final Pattern EPOCH =
      Pattern.compile(
          "(?im)^(?:x-ratelimit-reset(?:-\\w+)?|resets?[-_]?at|resetsAt): (\\d{10})(\\d{3})?$");

  /** "You will regain access on 2025-12-01 at 00:00 UTC", "resets_at: 2025-12-01T00:00:00Z". */
  private static final Pattern DATE =
      Pattern.compile(
          "(?i)(?:regain access|resets?|again|available|retry|until|back)(?:_?at)?\\b[^\\d\\n]{0,20}"
              + "(\\d{4}-\\d\\d-\\d\\d)(?:T| |, | at )(\\d\\d:\\d\\d)");

  private RetryTime() {}

  static Optional<Duration> in(HttpHeaders headers, RefusalBody body) {
    return RetryAfter.in(headers)
        .or(() -> milliseconds(headers))
        .or(() -> span(body.words()))
        .or(() -> field(body.words()))
        .or(() -> at(body.words(), headers))
        .or(() ->
            RateLimit.in(headers).filter(limit -> limit.remaining() <= 0).map(RateLimit::resetsIn));
  }

  /** Reads the header of OpenAI and Azure. */
  private static Optional<Duration> milliseconds(HttpHeaders headers) {
    return headers
        .firstValue("retry-after-ms")
        .filter(value -> value.matches("\\d{1,12}"))
        .map(value -> Duration.ofMillis(Long.parseLong(value)));
  }

  private static Optional<Duration> span(String words) {
    var found = SPAN.matcher(words);
    if (!found.find()) {
      return Optional.empty();
    }
    var sum = Duration.ZERO;
    for (var parts = PART.matcher(found.group(1)); parts.find(); ) {
      sum = sum.plus(of(parts.group(1), parts.group(2)));
    }
    return Optional.of(sum).filter(Duration::isPositive);
  }

  private static Optional<Duration> field(String words) {
    var found = FIELD.matcher(words);
    if (!found.find()) {
      return Optional.empty();
    }
    var unit = found.group(1) != null ? "ms" : found.group(3) == null ? "s" : found.group(3);
    return Optional.of(of(found.group(2), unit)).filter(Duration::isPositive);
  }

  private static Duration of(String number, String unit) {
    var seconds =
        switch (unit.toLowerCase(Locale.ROOT)) {
          case "ms", "millisecond", "milliseconds" -> 0.001;
          case "m", "min", "mins", "minute", "minutes" -> 60.0;
          case "h", "hour", "hours" -> 3600.0;
          case "d", "day", "days" -> 86_400.0;
          default -> 1.0;
        };
    return Duration.ofMillis(Math.round(Double.parseDouble(number) * seconds * 1000));
  }

  private static Optional<Duration> at(String words, HttpHeaders headers) {
    var epoch = EPOCH.matcher(words);
    if (epoch.find()) {
      return Optional.of(until(Instant.ofEpochSecond(Long.parseLong(epoch.group(1))), headers));
    }
    var date = DATE.matcher(words);
    return date.find()
        ? instant(date.group(1) + "T" + date.group(2) + ":00Z").map(time -> until(time, headers))
        : Optional.empty();
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException noTime) {
      return Optional.empty();
    }
  }

  private static Duration until(Instant time, HttpHeaders headers) {
    return RateLimit.until(time, headers).filter(Duration::isPositive).orElse(SOON);
  }
}
