package dev.errand.delivery.outgoing;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;

/** The targets and retries of webhooks. */
@ConfigMapping(prefix = "errand.webhooks")
public interface WebhookConfig {

  /**
   * Whether callbacks may point to this machine and its network. Default false, because otherwise
   * clients that may open sessions could reach everything that this service reaches. Metadata
   * services are blocked in both cases.
   */
  @WithDefault("false")
  boolean allowPrivate();

  /**
   * Whether callbacks must be {@code https}. Default false. True protects results from
   * eavesdroppers.
   */
  @WithDefault("false")
  boolean httpsOnly();

  /**
   * Whether callbacks are called through the proxies of {@code HTTPS_PROXY} and {@code HTTP_PROXY}.
   * Default false. Their names are looked up and checked here in both cases, but a proxy looks them
   * up again and connects to what it finds: with true, its rules must protect your network.
   */
  @WithDefault("false")
  boolean proxy();

  /**
   * The wait before each attempt, each 20 % more or less; there are as many attempts as entries.
   * Longer waits tolerate longer outages of a receiver; shorter ones notify an operator sooner. The
   * first attempt is made at once, whatever the first entry is.
   */
  @WithDefault("0s,5s,5m,30m,2h,5h,10h,14h,20h,24h")
  List<Duration> schedule();

  /** The time-out of a connection attempt. Default 5 s. */
  @WithDefault("5s")
  Duration connectTimeout();

  /**
   * The time-out of one attempt, from the look-up of the name to the end of the answer. Default 15
   * s. A longer time-out tolerates slow receivers; a shorter one frees their place for others.
   */
  @WithDefault("15s")
  Duration totalTimeout();

  /**
   * The number of posts that a node makes at a time. Default 64. If there are several tenants, each
   * makes at most half of them.
   */
  @WithDefault("64")
  @Bounds(min = "1", max = "10000")
  int concurrency();

  /**
   * The number of those that may go to one host, so that a host that hangs leaves room for others.
   * Default 8.
   */
  @WithDefault("8")
  @Bounds(min = "1", max = "10000")
  int concurrencyPerHost();
}
