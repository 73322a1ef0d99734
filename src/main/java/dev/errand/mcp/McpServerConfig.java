package dev.errand.mcp;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.time.Duration;
import org.eclipse.microprofile.config.spi.Converter;

/** Configuration of the MCP door. */
@ConfigMapping(prefix = "errand.mcp-server")
interface McpServerConfig {

  /**
   * Whether {@code /mcp} is served, by default true. Otherwise it is answered like an unknown path;
   * {@link McpResource} has the condition.
   */
  @WithDefault("true")
  @WithConverter(TrueOrFalse.class)
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

  /** The condition compares the text, so no other word means false. */
  final class TrueOrFalse implements Converter<Boolean> {

    private static final long serialVersionUID = 1;

    @Override
    public Boolean convert(String text) {
      return switch (text) {
        case "true" -> true;
        case "false" -> false;
        default -> throw new IllegalArgumentException("must be true or false, not " + text);
      };
    }
  }
}
