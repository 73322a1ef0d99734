package dev.errand.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.errand.http.Refusal;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Allows each address 5 failed logins a minute on each node, so that keys cannot be guessed through
 * the console. Further logins are refused before their key is checked. A login that is still being
 * checked counts as failed.
 */
@Singleton
class LoginLimit {

  static final int MOST = 5;
  static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MAX_ADDRESSES = 10_000;

  /** The minute of an address begins with its first login. */
  private final Cache<String, AtomicInteger> failed;

  @Inject
  LoginLimit() {
    this(Ticker.systemTicker());
  }

  LoginLimit(Ticker ticker) {
    this.failed =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .ticker(ticker)
            .expireAfterWrite(PERIOD)
            .maximumSize(MAX_ADDRESSES)
            .build();
  }

  /**
   * Logs in; a {@link SecurityException} of the login is a failure.
   *
   * @throws Refusal too many logins from this address have failed
   */
  <T> T within(String address, Supplier<T> login) {
    var counted = failed.get(address, _ -> new AtomicInteger());
    if (counted.incrementAndGet() > MOST) {
      throw Refusal.tooMany(
          "Too many logins from this address have failed; try again in a minute.",
          PERIOD,
          List.of(
              new FieldProblem(
                  "", "at most " + MOST + " failed logins a minute for each address")));
    }
    var isFailed = false;
    try {
      return login.get();
    } catch (SecurityException refused) {
      isFailed = true;
      throw refused;
    } finally {
      if (!isFailed) {
        counted.decrementAndGet();
      }
    }
  }
}
