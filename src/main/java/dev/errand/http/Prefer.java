package dev.errand.http;

import com.google.re2j.Pattern;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
   * Returns how long the client wants to wait; empty if the header does not contain it. If it
   * contains it several times, the first one counts.
   *
   * @param lines the lines of the header in the request, none when it is absent; they have the same
   *     meaning as a single line with all preferences
   * @throws Refusal N is not a whole number from 0 to {@code maxSeconds}
   */
  public static Optional<Duration> waitFor(List<String> lines, int maxSeconds) {
    var found = WAIT.matcher(String.join(", ", lines));
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
