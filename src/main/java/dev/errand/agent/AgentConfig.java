package dev.errand.agent;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithParentName;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Where agents are defined, and settings that take precedence over their definitions. */
@ConfigMapping(prefix = "errand.agents")
public interface AgentConfig {

  /** The directory of agent files. It may be absent. */
  String dir();

  /**
   * {@code errand.agents.<name>.…}: settings of built-in agents and of agents in files, by their
   * exact names. A private agent is {@code errand.agents."parent/child".…}.
   */
  @WithParentName
  Map<String, Settings> settings();

  /** The settings of one agent. Absent: what its definition says. A call takes precedence. */
  interface Settings {

    /** Model calls before the agent must sum up. A higher value allows longer work. */
    Optional<@Min(1) @Max(AgentDefinition.MAX_TURNS) Integer> maxTurns();

    /** The time from the first start of a task. A longer time allows slower models. */
    Optional<@DurationMin(millis = 1) @DurationMax(hours = 24) Duration> timeout();

    /** How often a failed attempt is repeated. A higher value survives more faults. */
    Optional<@Min(0) @Max(AgentDefinition.MAX_RETRIES) Integer> maxRetries();

    /** A text that is added to the end of the prompt, after an empty line. */
    Optional<String> extraPrompt();
  }
}
