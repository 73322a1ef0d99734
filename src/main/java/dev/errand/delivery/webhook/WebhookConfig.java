package dev.errand.delivery.webhook;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.time.Duration;
import java.util.List;

/** Where webhooks may go, and how persistently. */
@ConfigMapping(prefix = "errand.webhooks")
public interface WebhookConfig {

  /**
   * Whether callbacks may lead to this machine and its network. Default false, because whoever may
   * open sessions could then reach whatever this service reaches. Metadata services stay out of
   * reach either way.
   */
  @WithDefault("false")
  boolean allowPrivate();

  /**
   * Whether callbacks must be {@code https}. Default false. True keeps results from eavesdroppers.
   */
  @WithDefault("false")
  boolean httpsOnly();

  /**
   * The wait before each attempt, each 20 % more or less; as many attempts as entries. Longer bears
   * longer outages of a receiver; shorter tells an operator sooner. The first is made at once,
   * whatever stands there.
   */
  @WithDefault("0s,5s,5m,30m,2h,5h,10h,14h,20h,24h")
  @NotEmpty
  List<Duration> schedule();

  /** For making a connection. Default 5 s. */
  @WithDefault("5s")
  Duration connectTimeout();

  /**
   * For one attempt in all, look-up of the name to the end of the answer. Default 15 s. Longer
   * bears slow receivers; shorter frees their place for others.
   */
  @WithDefault("15s")
  Duration totalTimeout();

  /** How many posts a node makes at once. Default 64. */
  @WithDefault("64")
  @Min(1)
  @Max(10_000)
  int concurrency();

  /**
   * How many of those may go to one host, so that one that hangs leaves room for others. Default 8.
   */
  @WithDefault("8")
  @Min(1)
  @Max(10_000)
  int concurrencyPerHost();
}
