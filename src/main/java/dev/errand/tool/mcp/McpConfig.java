package dev.errand.tool.mcp;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The MCP servers whose tools agents may use. Invalid values stop the start. */
@ConfigMapping(prefix = "errand.mcp")
public interface McpConfig {

  /** The prefix of the permission that covers all tools of one server. */
  String PERMISSION = "mcp:server:";

  /** The servers by name: {@code [a-z0-9-]}, at most 32 characters. Default none. */
  Map<String, Server> servers();

  /** A server: a command or a URL. */
  interface Server {

    /**
     * The program with its arguments, which speaks MCP over its standard input and output. Exactly
     * one of this and {@link #url} must be set.
     */
    Optional<List<String>> command();

    /**
     * Environment variables of the process, in addition to {@code PATH}, {@code HOME} and similar
     * ones. It inherits no other variable of the service.
     */
    Map<String, String> environment();

    /** The URL of a server that speaks MCP over streamable HTTP. */
    Optional<String> url();

    /** The headers of every request to {@link #url}. May contain tokens; never logged. */
    Map<String, String> headers();

    /**
     * How long one call may take without an answer and without progress; with progress, up to ten
     * times as long. Default 60 s. A shorter time lets a run continue sooner if a server hangs; a
     * longer time allows slow tools.
     */
    @WithDefault("60s")
    @Bounds(min = "1ms")
    Duration timeout();

    /**
     * How long a server may take until it has listed its tools. Default 30 s. A shorter time
     * detects a hung server sooner; a longer time allows servers that download themselves first.
     */
    @WithDefault("30s")
    @Bounds(min = "1ms")
    Duration startTimeout();

    /** The tools to offer, by the server's own names. Absent: all. */
    Optional<List<String>> tools();
  }
}
