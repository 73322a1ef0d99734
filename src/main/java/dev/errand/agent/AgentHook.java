package dev.errand.agent;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A command that an agent file wants to be run at certain events.
 *
 * @param name unique among all agents; does not change while agent, event, names and command stay
 *     the same
 * @param names patterns with {@code *} for any characters: of tools, or for the events of subagents
 *     of agents. Empty means all
 */
public record AgentHook(
    String name,
    String agent,
    HookedEvent event,
    List<String> names,
    String command,
    Duration timeout) {

  /** The time at which a hook is run. */
  public enum HookedEvent {
    PRE_TOOL_USE("PreToolUse"),
    POST_TOOL_USE("PostToolUse"),
    SUBAGENT_START("SubagentStart"),
    SUBAGENT_STOP("SubagentStop");

    private final String key;

    HookedEvent(String key) {
      this.key = key;
    }

    String key() {
      return key;
    }

    /** Returns whether the names of a hook are those of tools. */
    boolean isOfTool() {
      return this == PRE_TOOL_USE || this == POST_TOOL_USE;
    }

    static Optional<HookedEvent> of(String key) {
      return Arrays.stream(values()).filter(event -> event.key.equals(key)).findFirst();
    }

    /** Lists all keys for use in error messages. */
    static String keys() {
      return Arrays.stream(values()).map(event -> event.key).collect(Collectors.joining(", "));
    }
  }
}
