package dev.errand.hook;

import dev.errand.tool.file.WorkspaceRoots;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sets the hooks of the tested service, as its configuration would. */
@ApplicationScoped
public class HookKit {

  private final Hooks hooks;
  private final WorkspaceRoots roots;

  HookKit(Hooks hooks, WorkspaceRoots roots) {
    this.hooks = hooks;
    this.roots = roots;
  }

  /**
   * Replaces all hooks.
   *
   * @param properties without the prefix {@code errand.hooks.}
   */
  public void configure(Map<String, String> properties) {
    hooks.use(read(properties, roots));
  }

  /** Removes all hooks. */
  public void clear() {
    hooks.use(List.of());
  }

  static List<Hook> read(Map<String, String> properties, WorkspaceRoots roots) {
    var prefixed = new HashMap<String, String>();
    properties.forEach((name, value) -> prefixed.put("errand.hooks." + name, value));
    HookDefinitions.refuseUnknown(prefixed.keySet(), Set.of());
    var config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(HookConfig.class)
            .withSources(new PropertiesConfigSource(prefixed, "test", 100))
            .build();
    return new HookDefinitions(HookPost.EGRESS, roots)
        .read(config.getConfigMapping(HookConfig.class));
  }
}
