package dev.errand.tool.web;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.egress.HostResolver;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.web.WebFetchTool.ReadingThreads;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.MemorySize;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calls {@code webfetch} in the same way as the agent loop, with host names defined by the test.
 */
final class WebKit implements AutoCloseable {

  private final List<String> said = new ArrayList<>();
  private final Map<String, List<InetAddress>> names = new HashMap<>();
  private final Fetcher fetcher;
  private final ReadingThreads readers = new ReadingThreads();
  private final WebFetchTool tool;
  private final ToolBox tools;

  /** The configuration, with one component per property that tests change. */
  record Settings(
      boolean enabled,
      List<Integer> ports,
      List<String> hosts,
      Optional<List<String>> denyHosts,
      boolean allowPrivate,
      Duration timeout,
      Optional<List<String>> allowHosts)
      implements WebFetchConfig {

    static Settings open(int... ports) {
      return new Settings(
          true,
          Arrays.stream(ports).boxed().toList(),
          List.of("*"),
          Optional.empty(),
          true,
          Duration.ofSeconds(60),
          Optional.empty());
    }

    Settings within(Duration limit) {
      return new Settings(enabled, ports, hosts, denyHosts, allowPrivate, limit, allowHosts);
    }

    Settings closed() {
      return new Settings(enabled, ports, hosts, denyHosts, false, timeout, allowHosts);
    }

    Settings off() {
      return new Settings(false, ports, hosts, denyHosts, allowPrivate, timeout, allowHosts);
    }

    Settings hosts(List<String> allowed, List<String> denied) {
      return new Settings(
          enabled, ports, allowed, Optional.of(denied), allowPrivate, timeout, allowHosts);
    }

    Settings renamed() {
      var old = Optional.of(List.of("docs.test"));
      return new Settings(enabled, ports, hosts, denyHosts, allowPrivate, timeout, old);
    }

    @Override
    public boolean proxy() {
      return false;
    }

    @Override
    public MemorySize maxBytes() {
      return new MemorySize(BigInteger.valueOf(200_000));
    }

    @Override
    public int maxChars() {
      return 5_000;
    }
  }

  WebKit(Settings settings) {
    this(settings, null);
  }

  /**
   * @param resolver null to use the names of {@link #name} and then the operating system
   */
  WebKit(Settings settings, @Nullable HostResolver resolver) {
    fetcher = new Fetcher(settings, _ -> said, resolver == null ? this::resolve : resolver);
    tool = new WebFetchTool(settings, fetcher, readers);
    tools = new ToolBox(List.of(tool), List.of());
  }

  /** The user of the session writes this. */
  WebKit said(String text) {
    said.add(text);
    return this;
  }

  WebKit name(String host, String... addresses) {
    names.put(host, Arrays.stream(addresses).map(InetAddress::ofLiteral).toList());
    return this;
  }

  private List<InetAddress> resolve(String host) throws UnknownHostException {
    var known = names.get(host);
    if (known == null && (host.endsWith(".test") || host.endsWith(".example"))) {
      throw new UnknownHostException(host);
    }
    return known == null ? HostResolver.SYSTEM.resolve(host) : known;
  }

  ToolOutcome.Done fetch(String url) {
    return fetch(url, Permissions.ALL);
  }

  ToolOutcome.Done fetch(String url, Permissions permissions) {
    var arguments = JsonNodeFactory.instance.objectNode().put("url", url);
    var context = new ToolContext(SessionId.next(), 1, "1.0", Path.of("."));
    var call = new Content.ToolCall("call_1", "webfetch", arguments);
    return (ToolOutcome.Done) tools.call(call, context, permissions);
  }

  /** What the service does at its start. */
  void start() {
    tool.check(new StartupEvent());
  }

  boolean isOffered() {
    return !tools.offered(Permissions.ALL).isEmpty();
  }

  @Override
  public void close() {
    fetcher.close();
    readers.stop();
  }
}
