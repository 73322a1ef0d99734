package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.setting.HttpUrl;
import dev.errand.tool.mcp.ServerDefinition;
import dev.errand.tool.mcp.ServerDefinition.ServerAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads one MCP server that an agent file defines, with the same keys as the configuration:
 *
 * <pre>{@code
 * files:
 *   command: npx
 *   args: [-y, "@modelcontextprotocol/server-filesystem", /srv/documents]
 *   env: {NODE_ENV: production}
 * }</pre>
 */
final class McpDefinition {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

  private static final List<String> KEYS =
      List.of(
          "type", "command", "args", "env", "url", "headers", "timeout", "startTimeout", "tools");

  private static final List<String> COMMAND_KEYS = List.of("args", "env");
  private static final List<String> URL_KEYS = List.of("headers");
  private static final Set<String> HTTP_TYPES = Set.of("http", "streamable-http");

  private final String name;
  private final McpFields fields;

  private McpDefinition(String name, McpFields fields) {
    this.name = name;
    this.fields = fields;
  }

  /**
   * @throws BrokenFile the definition is not valid; the message names the field
   */
  static ServerDefinition read(String name, McpFields fields) {
    return new McpDefinition(name, fields).read();
  }

  private ServerDefinition read() {
    fields.refuseOthersThan(KEYS);
    if (fields.has("command") == fields.has("url")) {
      throw fields.broken("needs either command or url, and not both");
    }
    var place = fields.has("command") ? command() : url();
    return new ServerDefinition(
        name,
        place,
        fields.time("timeout").orElse(TIMEOUT),
        fields.time("startTimeout").orElse(START_TIMEOUT),
        fields.texts("tools").map(Set::copyOf).orElse(null));
  }

  private ServerAddress command() {
    refuse(URL_KEYS, "is only for servers with a url");
    checkType(Set.of("stdio"), "must be stdio for a server with a command");
    var words = new ArrayList<>(fields.texts("command").orElseThrow());
    if (words.isEmpty() || words.getFirst().isBlank()) {
      throw fields.broken("command", "must name a program");
    }
    words.addAll(fields.texts("args").orElse(List.of()));
    return new ServerAddress.Command(words, fields.pairs("env"));
  }

  private ServerAddress url() {
    refuse(COMMAND_KEYS, "is only for servers with a command");
    checkType(HTTP_TYPES, "must be http for a server with a url");
    return new ServerAddress.Url(address(), headers());
  }

  private URI address() {
    try {
      return HttpUrl.read(fields.text("url").orElse(""));
    } catch (IllegalArgumentException malformed) {
      throw fields.broken("url", String.valueOf(malformed.getMessage()));
    }
  }

  private Map<String, String> headers() {
    var headers = fields.pairs("headers");
    headers.forEach((header, value) -> {
      if (!ServerDefinition.canBeSent(header, value)) {
        throw fields.broken(
            "headers", "has '" + header + "', which is not a header that can be sent");
      }
    });
    return headers;
  }

  private void refuse(List<String> keys, String problem) {
    for (var key : keys) {
      if (fields.has(key)) {
        throw fields.broken(key, problem);
      }
    }
  }

  private void checkType(Set<String> types, String problem) {
    if (!fields.text("type").map(types::contains).orElse(true)) {
      throw fields.broken("type", problem);
    }
  }
}
