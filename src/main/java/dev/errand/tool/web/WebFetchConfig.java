package dev.errand.tool.web;

import dev.errand.setting.Bounds;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The limits of {@code webfetch}. */
@ConfigMapping(prefix = "errand.tools.webfetch")
public interface WebFetchConfig {

  /** Whether agents have the tool. Default true. */
  @WithDefault("true")
  boolean enabled();

  /** Ports that may be called. Default 80 and 443; other ports rarely serve public pages. */
  @WithDefault("80,443")
  @Bounds(min = "1", max = "65535")
  List<Integer> ports();

  /**
   * Hosts that may be called, with {@code *} for any characters ({@code *.example.org}). Default
   * {@code *}: all that are not denied. {@code named} stands for the hosts that a message of the
   * user in the same tree of sessions contains. A host that is called by its address must be listed
   * by its address. Fewer hosts leave fewer ways to send out what an agent has read.
   */
  @WithDefault("*")
  List<String> hosts();

  /**
   * The former name of {@link #hosts}. While it has a value, the start reports it and every call
   * fails, because the hosts that it names are not the limit that the operator wanted.
   */
  Optional<List<String>> allowHosts();

  /** Hosts that must not be called, even if {@link #hosts} lists them. Absent: none. */
  Optional<List<String>> denyHosts();

  /**
   * Whether pages on this machine and in its private network may be fetched. Default false, because
   * models could otherwise read everything that this service can reach, and a page that they read
   * can make them do so. Metadata services cannot be called in either case.
   */
  @WithDefault("false")
  boolean allowPrivate();

  /**
   * Whether pages are fetched through the proxies of {@code HTTPS_PROXY} and {@code HTTP_PROXY}.
   * Default false. Names are looked up and checked here in both cases, but a proxy looks them up
   * again and connects to what it finds: with true, its rules must protect your network.
   */
  @WithDefault("false")
  boolean proxy();

  /**
   * How much of a page is read, counted after decompression. Default 2 MiB. Less saves memory,
   * because parsing may take 50 times the size of the page. Of longer pages the beginning is used.
   */
  @WithDefault("2M")
  MemorySize maxBytes();

  /**
   * The time limit for one call, redirects included. Default 30 s. A longer time allows slow
   * servers; a shorter time lets a turn continue sooner.
   */
  @WithDefault("30s")
  @Bounds(min = "1ms")
  Duration timeout();

  /** How many characters of a page the model gets. Default 60,000. Fewer save tokens. */
  @WithDefault("60000")
  @Bounds(min = "200", max = "90000")
  int maxChars();
}
