package dev.errand.api;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;

/** Streams of events. */
@ConfigMapping(prefix = "errand.events")
interface EventConfig {

  /**
   * After how long a silent stream gets a comment. Shorter keeps proxies from cutting it and finds
   * clients that are gone sooner, longer costs less.
   */
  @WithDefault("15s")
  @DurationMin(millis = 100)
  Duration keepAlive();

  /**
   * How long a client may take nothing before its stream is closed. Shorter frees memory sooner,
   * longer bears slow networks; a client that comes back misses nothing.
   */
  @WithDefault("30s")
  @DurationMin(millis = 100)
  Duration writeTimeout();

  /** Streams that one node serves at once; more are refused. Each costs memory and a socket. */
  @WithDefault("5000")
  @Min(0)
  int maxStreams();
}
