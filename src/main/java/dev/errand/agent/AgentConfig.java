package dev.errand.agent;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The places where agents are defined, and settings that take precedence over their definitions.
 */
@ConfigMapping(prefix = "errand.agents")
public interface AgentConfig {

  /** The directory of agent files. It may be absent. */
  String dir();

  /**
   * Whether a broken file prevents the start and makes a reload change nothing. Off, the other
   * agents are loaded; on, a node never runs without an agent that a file should define.
   */
  @WithDefault("false")
  boolean strict();

  /**
   * {@code errand.agents.<name>.…}: settings of built-in agents and of agents in files, by their
   * exact names. A private agent is {@code errand.agents."parent/child".…}.
   */
  @WithParentName
  Map<String, AgentSettings> settings();

  /** The settings of one agent. Absent: what its definition says. A call takes precedence. */
  interface AgentSettings {

    /** Model calls before the agent must sum up. A higher value allows longer work. */
    @Bounds(min = "1", max = "" + AgentDefinition.MAX_TURNS)
    Optional<Integer> maxTurns();

    /** The time from the first start of a task. A longer time allows slower models. */
    @Bounds(min = "1ms", max = "24h")
    Optional<Duration> timeout();

    /** How often a failed attempt is repeated. A higher value survives more faults. */
    @Bounds(min = "0", max = "" + AgentDefinition.MAX_RETRIES)
    Optional<Integer> maxRetries();

    /** A text that is added to the end of the prompt, after an empty line. */
    Optional<String> extraPrompt();
  }
}
