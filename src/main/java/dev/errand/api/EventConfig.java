package dev.errand.api;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Configuration of the streams of events. */
@ConfigMapping(prefix = "errand.events")
interface EventConfig {

  /**
   * The time after which a comment is sent on a stream without events, 15 s by default. A shorter
   * time keeps proxies from closing the connection and detects disconnected clients sooner; a
   * longer time costs less.
   */
  @WithDefault("15s")
  @Bounds(min = "100ms")
  Duration keepAlive();

  /**
   * The time after which the stream of a client that reads nothing is closed, 30 s by default. A
   * shorter time frees memory sooner, a longer time tolerates slow networks. A client that
   * reconnects misses no event.
   */
  @WithDefault("30s")
  @Bounds(min = "100ms")
  Duration writeTimeout();

  /**
   * The number of streams that one node serves at the same time, 5,000 by default; more are refused
   * with 503. Each stream costs memory and a socket.
   */
  @WithDefault("5000")
  @Bounds(min = "0")
  int maxStreams();
}
