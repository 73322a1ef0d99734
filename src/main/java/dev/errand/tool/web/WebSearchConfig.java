package dev.errand.tool.web;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Configuration of {@code websearch}. */
@ConfigMapping(prefix = "errand.tools.websearch")
public interface WebSearchConfig {

  /** {@code searxng} or {@code brave}. Absent: agents do not have the tool. */
  Optional<SearchBackend> backend();

  /**
   * The address of the backend: of an instance of SearXNG, which has to allow the format JSON, or
   * of Brave's endpoint. Default for Brave: the public endpoint.
   */
  Optional<String> url();

  /** The key of Brave's API. For SearXNG it is sent as a bearer token, if it is set. */
  Optional<String> apiKey();

  /**
   * Whether the backend may be on this machine or in its private network, as an own SearXNG often
   * is. Default false.
   */
  @WithDefault("false")
  boolean allowPrivate();

  /**
   * How long results are kept, so that the same search is not made again. Default 10 min; 0 keeps
   * none.
   */
  @WithDefault("10m")
  @Bounds(min = "0s")
  Duration cache();
}
