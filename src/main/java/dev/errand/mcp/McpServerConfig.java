package dev.errand.mcp;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.time.Duration;

/** Configuration of the MCP door. */
@ConfigMapping(prefix = "errand.mcp-server")
interface McpServerConfig {

  /** Whether {@code /mcp} is served, by default true. Otherwise it is answered with 404. */
  @WithDefault("true")
  boolean enabled();

  /**
   * How long a call of {@code task} is answered with the result of the task, when the client has
   * neither the tasks extension nor a progress token; 50 s by default. A longer time gives more
   * answers at once; many clients give up after 60 s.
   */
  @WithName("wait")
  @WithDefault("50s")
  @Bounds(min = "100ms", max = "10m")
  Duration waitFor();
}
