package dev.errand.kit;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.util.Map;

/**
 * The service with a shell, but short of everything else: it has two slots, accepts few pending
 * tasks, rejects background tasks above the limit instead of queuing them, makes the next attempt
 * in more than a year, soon answers calls of MCP that wait, and is not set up for tenants. Workers
 * are left over, so that only slots are scarce. All classes with this profile share one
 * application, because its start takes long.
 */
public final class Scarce implements QuarkusTestProfile {

  public static final int MAX_PENDING = 25;

  /** An attempt is one model call. */
  @Override
  public Map<String, String> getConfigOverrides() {
    return Map.ofEntries(
        Map.entry("errand.tools.bash", "enabled"),
        Map.entry("errand.max-concurrent-runs", "2"),
        Map.entry("errand.jobrunr.workers", "50"),
        Map.entry("errand.limits.background-policy", "reject"),
        Map.entry("errand.limits.max-pending", Integer.toString(MAX_PENDING)),
        Map.entry("errand.mcp-server.wait", "200ms"),
        Map.entry("errand.workspaces.shared", "false"),
        Map.entry("errand.secrets.key", ""),
        Map.entry("errand.model-retry.attempts", "1"),
        Map.entry("errand.task-retry.first-delay", "10000h"),
        Map.entry("errand.task-retry.longest-delay", "10000h"));
  }
}
