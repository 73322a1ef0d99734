package dev.errand.tool.mcp;

import dev.errand.setting.HttpUrl;
import dev.errand.setting.Pasted;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server: its address and its time limits.
 *
 * @param only the tools to offer, by the server's own names; null means all
 */
public record ServerDefinition(
    String name,
    ServerAddress place,
    Duration timeout,
    Duration startTimeout,
    @Nullable Set<String> only) {

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

  /** Environment variables whose values would only make results unreadable if they were masked. */
  private static final Pattern PLAIN =
      Pattern.compile(
          "PATH|HOME|USER|SHELL|TZ|TERM|LANG|LC_.*|TMPDIR|DEBUG|NODE_ENV|LOG_LEVEL|PYTHON(PATH|UNBUFFERED)|.*_(DIR|PATH|HOME|HOST|PORT|REGION)");

  private static final Set<String> PLAIN_HEADERS = Set.of("accept", "content-type", "user-agent");

  /** The way in which a server is reached. */
  public sealed interface ServerAddress {

    /**
     * Returns the values that must not be shown: tokens among environment variables and headers.
     */
    Stream<String> secrets();

    /** A process that the service starts and talks to over its standard input and output. */
    record Command(List<String> words, Map<String, String> environment) implements ServerAddress {
      public Command {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
      }

      /** Returns all variables but those that are never secret. */
      @Override
      public Stream<String> secrets() {
        return environment.entrySet().stream()
            .filter(variable -> !PLAIN.matcher(variable.getKey()).matches())
            .map(Map.Entry::getValue);
      }
    }

    /** A server that speaks HTTP. */
    record Url(URI address, Map<String, String> headers) implements ServerAddress {
      public Url {
        headers =
            headers.entrySet().stream()
                .collect(
                    Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, header -> Pasted.plain(header.getValue())));
      }

      /**
       * Returns all headers but those that are never secret; of {@code Bearer x} also {@code x}.
       */
      @Override
      public Stream<String> secrets() {
        return headers.entrySet().stream()
            .filter(header -> !PLAIN_HEADERS.contains(header.getKey().toLowerCase(Locale.ROOT)))
            .flatMap(header -> Stream.of(header.getValue(), lastWord(header.getValue())));
      }

      private static String lastWord(String text) {
        return text.substring(text.strip().lastIndexOf(' ') + 1);
      }

      /** Leaves out the headers, which may contain tokens. */
      @Override
      public String toString() {
        return "Url[" + address + "]";
      }
    }
  }

  /**
   * @throws IllegalArgumentException the name is not valid
   */
  public ServerDefinition {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "The MCP server name '%s' must have 1 to 32 of a-z, 0-9 and -.".formatted(name));
    }
    only = only == null ? null : Set.copyOf(only);
  }

  /**
   * @throws IllegalArgumentException the configuration is not valid; the message says what is
   */
  static ServerDefinition of(String name, McpConfig.Server config) {
    return new ServerDefinition(
        name,
        place(name, config),
        config.timeout(),
        config.startTimeout(),
        config.tools().map(Set::copyOf).orElse(null));
  }

  private static ServerAddress place(String name, McpConfig.Server config) {
    if (config.command().isPresent() == config.url().isPresent()) {
      throw new IllegalArgumentException(
          "The MCP server '%s' needs either errand.mcp.servers.%s.command or .url, and not both."
              .formatted(name, name));
    }
    return config
        .command()
        .<ServerAddress>map(words -> new ServerAddress.Command(words, config.environment()))
        .orElseGet(() -> new ServerAddress.Url(address(name, config), headers(name, config)));
  }

  private static URI address(String name, McpConfig.Server config) {
    try {
      return HttpUrl.read(config.url().orElse(""));
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "errand.mcp.servers.%s.url %s.".formatted(name, malformed.getMessage()), malformed);
    }
  }

  private static Map<String, String> headers(String name, McpConfig.Server config) {
    config
        .headers()
        .forEach((header, value) -> {
          if (!canBeSent(header, value)) {
            throw new IllegalArgumentException(
                "errand.mcp.servers.%s.headers.%s is not a header that can be sent."
                    .formatted(name, header));
          }
        });
    return config.headers();
  }

  /** Returns whether the text is a valid server name. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Returns whether the HTTP client can send this header. */
  public static boolean canBeSent(String header, String value) {
    try {
      HttpRequest.newBuilder().header(header, Pasted.plain(value));
      return true;
    } catch (IllegalArgumentException refused) {
      return false;
    }
  }

  /**
   * A server that belongs to one agent.
   *
   * @param agent the name of the agent; empty if all agents may use the server
   */
  public record AgentMcpServer(String agent, ServerDefinition definition) {}
}
