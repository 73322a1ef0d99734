package dev.errand.api.http;

import com.google.re2j.Pattern;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The request header {@code Prefer: wait=N} (RFC 7240), N in seconds. Other preferences are
 * ignored.
 */
public final class Prefer {

  private static final Pattern WAIT =
      Pattern.compile("(?i)(?:^|[,;\\s])wait\\s*=\\s*\"?([^\",;\\s]*)\"?");
  private static final int MAX_DIGITS = 6;

  private Prefer() {}

  /**
   * Returns how long the client wants to wait; empty if the header does not contain it.
   *
   * @throws Refusal N is not a whole number from 0 to {@code maxSeconds}
   */
  public static Optional<Duration> waitFor(@Nullable String header, int maxSeconds) {
    if (header == null) {
      return Optional.empty();
    }
    var found = WAIT.matcher(header);
    if (!found.find()) {
      return Optional.empty();
    }
    var digits = found.group(1);
    if (!digits.matches("\\d{1," + MAX_DIGITS + "}") || Integer.parseInt(digits) > maxSeconds) {
      throw Refusal.invalid(
          "Prefer", "wait must be a whole number of seconds from 0 to " + maxSeconds);
    }
    return Optional.of(Duration.ofSeconds(Integer.parseInt(digits)));
  }
}
