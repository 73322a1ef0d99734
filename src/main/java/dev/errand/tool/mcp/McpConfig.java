package dev.errand.tool.mcp;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMin;

/** The MCP servers whose tools agents may use. Values that make no sense stop the start. */
@ConfigMapping(prefix = "errand.mcp")
public interface McpConfig {

  /** What rules call all tools of one server, before its name. */
  String PERMISSION = "mcp:server:";

  /** By name: {@code [a-z0-9-]}, at most 32 characters. Default none. */
  Map<String, Server> servers();

  /** One server: a command or a URL. */
  interface Server {

    /**
     * The program and its arguments, which speaks MCP over its standard input and output. Exactly
     * one of this and {@link #url}.
     */
    Optional<List<String>> command();

    /**
     * What the process finds in its environment beside {@code PATH}, {@code HOME} and the like; it
     * gets nothing else of the service's own.
     */
    Map<String, String> environment();

    /** Where a server speaks MCP over streamable HTTP. */
    Optional<String> url();

    /** Sent with every request to {@link #url}; may hold tokens and is never logged. */
    Map<String, String> headers();

    /**
     * How long one call may take. Default 60 s. Shorter lets a run go on sooner when a server
     * hangs; longer bears slow tools.
     */
    @WithDefault("60s")
    @DurationMin(millis = 1)
    Duration timeout();

    /**
     * How long a server may take until it has listed its tools. Default 30 s. Shorter finds a hung
     * one sooner; longer bears servers that download themselves first.
     */
    @WithDefault("30s")
    @DurationMin(millis = 1)
    Duration startTimeout();

    /** The tools to offer, by the server's own names. Absent: all. */
    Optional<List<String>> tools();
  }
}
