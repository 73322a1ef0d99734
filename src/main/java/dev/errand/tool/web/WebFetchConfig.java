package dev.errand.tool.web;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMin;

/** What {@code webfetch} may fetch. */
@ConfigMapping(prefix = "errand.tools.webfetch")
public interface WebFetchConfig {

  /** Whether agents have the tool. Default true. */
  @WithDefault("true")
  boolean enabled();

  /** Ports that may be called. Default 80 and 443; others are rarely meant for readers. */
  @WithDefault("80,443")
  @NotEmpty
  List<@Min(1) @Max(65_535) Integer> ports();

  /**
   * Hosts that may be called, with {@code *} for any characters ({@code *.example.org}). Absent:
   * all that are not denied. Judges names, so a host that is reached by its address goes by that.
   */
  Optional<List<String>> allowHosts();

  /** Hosts that must not be called, even if they are allowed. Absent: none. */
  Optional<List<String>> denyHosts();

  /**
   * Whether pages may be on this machine and its network. Default false, because models would then
   * read whatever this service reaches, and what they read may make them. Metadata services stay
   * out of reach either way.
   */
  @WithDefault("false")
  boolean allowPrivate();

  /**
   * How much of a page is read, unpacked. Default 2 MiB. Less saves memory – a page may take 50
   * times as much while it is read – and of longer pages only the beginning is used.
   */
  @WithDefault("2M")
  MemorySize maxBytes();

  /**
   * For one call in all, redirects included. Default 30 s. Longer bears slow servers, shorter lets
   * a turn go on sooner.
   */
  @WithDefault("30s")
  @DurationMin(millis = 1)
  Duration timeout();

  /** Characters of a page that the model reads. Default 60,000. Fewer saves tokens. */
  @WithDefault("60000")
  @Min(200)
  @Max(90_000)
  int maxChars();
}
