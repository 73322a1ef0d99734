package dev.errand.hook;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The hooks of the operator. Invalid values stop the start. */
@ConfigMapping(prefix = "errand.hooks")
public interface HookConfig {

  /**
   * Whether agent files may define hooks. Default false: a file with {@code hooks} stops the start.
   */
  @WithDefault("false")
  boolean fromAgentFiles();

  /**
   * The number of tool calls for which a node asks one hook at the same time, and the number of
   * other events that it sends to one hook at the same time. Default 32. Lower protects a small
   * endpoint; further calls wait, at most for the hook's time-out.
   */
  @WithDefault("32")
  @Bounds(min = "1", max = "1000")
  int concurrency();

  /** The hooks by name. Default none. */
  @WithParentName
  Map<String, HookSettings> hooks();

  /** A hook: a URL or a command. */
  interface HookSettings {

    /** The http or https URL that gets the events. Exactly one of this and command must be set. */
    Optional<String> url();

    /** A program with its arguments, which gets the event on its standard input. */
    Optional<List<String>> command();

    /** The events that the hook receives. */
    Optional<List<String>> events();

    /** The tools that it hears of, with {@code *} for any characters. Absent: all. */
    Optional<List<String>> tools();

    /** How long one call may take. Default 10 s. */
    @WithDefault("10s")
    @Bounds(min = "1ms")
    Duration timeout();

    /** What happens to a tool call if the hook that is asked before it fails. Default deny. */
    @WithDefault("deny")
    OnError onError();

    /** Signs the posts, as specified by Standard Webhooks. */
    Optional<String> secret();
  }

  /** The consequence of a hook's failure for the call that it is asked about. */
  enum OnError {
    DENY,
    ALLOW
  }
}
