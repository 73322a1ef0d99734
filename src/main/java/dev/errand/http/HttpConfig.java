package dev.errand.http;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.Optional;
import java.util.Set;

/** Configuration of the HTTP server: who may call it, and how much at the same time. */
@ConfigMapping(prefix = "errand.http")
interface HttpConfig {

  /**
   * Host names that clients use for this service, without ports; none by default. {@code
   * localhost}, IP addresses and {@code errand.host} are always allowed. A name that an attacker
   * can point at this machine lets web pages in.
   */
  Optional<Set<String>> allowedHosts();

  /**
   * Origins of web pages, {@code https://app.example:8443}, that may call this service with a
   * bearer token; none by default. Pages of the service itself need no entry.
   */
  Optional<Set<String>> allowedOrigins();

  /**
   * Connections that one address may have open to a node, 5,000 by default. Lower leaves more to
   * others; a reverse proxy is one address.
   */
  @WithDefault("5000")
  @Bounds(min = "1")
  int maxConnectionsPerClient();

  /**
   * Requests of one client that may wait at a node ({@code Prefer: wait}, {@code wait_ms}), 2,000
   * by default. Each needs a connection and some memory.
   */
  @WithDefault("2000")
  @Bounds(min = "1")
  int maxWaitsPerClient();

  /** Streams of events that one client may have open at a node, 1,000 by default. */
  @WithDefault("1000")
  @Bounds(min = "1")
  int maxStreamsPerClient();
}
