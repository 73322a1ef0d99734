package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.tenant.Tenant;
import dev.errand.tool.mcp.McpServers;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.scheduler.Scheduled;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * All agents: the built-in ones and those of the operator's files, which can be in a directory of
 * each tenant. A reload is atomic: callers see either all agents from before or all from after it.
 */
@Singleton
public class Agents {

  private static final Logger LOG = Logger.getLogger(Agents.class);

  private final AgentFiles files;
  private final McpServers servers;
  private final Map<String, AgentCatalog> byTenant = new ConcurrentHashMap<>();
  private volatile List<AgentHook> hooks = List.of();

  Agents(AgentFiles files, McpServers servers) {
    this.files = files;
    this.servers = servers;
  }

  /** Runs before any run can begin, because a broken file stops the start. */
  void load(@Observes @Priority(-2) StartupEvent start) {
    // A file may name tools, and tools that delegate ask for the agents when they are created.
    byTenant.put(place(Tenant.DEFAULT), new AgentCatalog(BuiltInAgents.ALL));
    try {
      reload(Tenant.DEFAULT);
      files
          .unknownSetting(of(Tenant.DEFAULT))
          .ifPresent(problem -> {
            throw new ConfigurationException(problem);
          });
    } catch (BrokenFile broken) {
      throw new ConfigurationException(
          "Agent file "
              + files.directory(Tenant.DEFAULT).path().resolve(broken.place())
              + ": "
              + broken.problem());
    }
  }

  /**
   * Reads the files of a tenant again; those of all tenants when they share a directory. Active
   * runs keep the definition that they started with, but get the new hooks of their agent; MCP
   * servers that a file no longer defines, or defines differently, are stopped.
   *
   * @return warnings for the operator
   * @throws BrokenFile a file cannot be used; the definitions stay as they were
   */
  public synchronized List<String> reload(String tenant) {
    var found = files.read(tenant);
    var warnings = new ArrayList<>(found.warnings());
    files.unknownSetting(found.catalog()).ifPresent(warnings::add);
    if (!files.areOfTenants()) {
      servers.replaceOwn(found.servers());
      hooks = Stream.concat(found.hooks().stream(), hooksOfRemoved(found.catalog())).toList();
    }
    byTenant.put(place(tenant), found.catalog());
    found.infos().forEach(info -> LOG.infof("Agent file %s", info));
    warnings.forEach(warning -> LOG.warnf("Agents: %s", warning));
    LOG.infof("Agents: %s", found.catalog().all().stream().map(AgentDefinition::name).toList());
    return List.copyOf(warnings);
  }

  /** Runs of an agent that was removed may still be under way, and keep its hooks. */
  private Stream<AgentHook> hooksOfRemoved(AgentCatalog catalog) {
    return hooks.stream().filter(hook -> catalog.named(hook.agent()).isEmpty());
  }

  /** The hooks that agent files define, or defined for agents that were removed since. */
  public List<AgentHook> hooks() {
    return hooks;
  }

  /** The agents of a tenant. Its files are read at the first use. */
  public AgentCatalog of(String tenant) {
    var known = byTenant.get(place(tenant));
    return known == null ? first(tenant) : known;
  }

  /**
   * Whether some tenant may have such an agent. Reads no files, and is true when the files of
   * tenants are apart.
   */
  public boolean mayHave(Predicate<AgentDefinition> what) {
    return files.areOfTenants() || of(Tenant.DEFAULT).all().stream().anyMatch(what);
  }

  /** If a file is broken, the tenant has no agents, because the file may contain restrictions. */
  private synchronized AgentCatalog first(String tenant) {
    try {
      if (!byTenant.containsKey(place(tenant))) {
        reload(tenant);
      }
    } catch (BrokenFile broken) {
      LOG.errorf(
          "The tenant %s has no agents until its agent file is repaired and the agents are reloaded: %s",
          tenant, broken.getMessage());
      byTenant.put(place(tenant), new AgentCatalog(List.of()));
    }
    return byTenant.getOrDefault(place(tenant), new AgentCatalog(List.of()));
  }

  private String place(String tenant) {
    return files.areOfTenants() ? tenant : Tenant.DEFAULT;
  }

  /** Reloads changed agent files within a second, in development mode only. */
  @IfBuildProfile("dev")
  @Singleton
  static class FilesWatch {

    private final Agents agents;
    private final AgentFiles files;
    private Map<Path, FileTime> seen;

    FilesWatch(Agents agents, AgentFiles files) {
      this.agents = agents;
      this.files = files;
      this.seen = times();
    }

    /** A broken file is logged, and the definitions stay as they were. */
    @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void look() {
      var now = times();
      if (now.equals(seen)) {
        return;
      }
      seen = now;
      try {
        agents.reload(Tenant.DEFAULT);
      } catch (BrokenFile broken) {
        LOG.errorf("The agents were not reloaded: %s", broken.getMessage());
      }
    }

    private Map<Path, FileTime> times() {
      var times = new HashMap<Path, FileTime>();
      for (var file : files.directory(Tenant.DEFAULT).files()) {
        try {
          times.put(file, Files.getLastModifiedTime(file));
        } catch (IOException deleted) {
          times.remove(file);
        }
      }
      return times;
    }
  }
}
