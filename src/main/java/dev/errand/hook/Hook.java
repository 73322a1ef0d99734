package dev.errand.hook;

import dev.errand.permission.Wildcard;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A hook.
 *
 * @param agent the agent whose file defines it; null for a hook of the configuration, which hears
 *     of all agents
 * @param names patterns, in lower case, with {@code *} for any characters: of tools, or for the
 *     events of tasks of agents. Empty means all
 * @param allowsOnError whether a call is made although the hook failed or was late
 */
record Hook(
    String name,
    @Nullable String agent,
    HookTarget target,
    Set<HookEvent> events,
    List<String> names,
    Duration timeout,
    boolean allowsOnError) {

  Hook {
    events = Set.copyOf(events);
    names = names.stream().map(pattern -> pattern.toLowerCase(Locale.ROOT)).toList();
  }

  /** Returns whether it is made for another product and gets what that product would send, too. */
  boolean isOfAgentFile() {
    return agent != null;
  }

  /** Returns whether one of these names matches a pattern of the hook. */
  boolean isAbout(Collection<String> candidates) {
    return names.isEmpty()
        || candidates.stream()
            .map(candidate -> candidate.toLowerCase(Locale.ROOT))
            .anyMatch(candidate ->
                names.stream().anyMatch(pattern -> new Wildcard(pattern).matches(candidate)));
  }
}
