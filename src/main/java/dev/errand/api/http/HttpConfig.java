package dev.errand.api.http;

import io.smallrye.config.ConfigMapping;
import java.util.Optional;
import java.util.Set;

/** Configuration of the HTTP server: who may call it. */
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
}
