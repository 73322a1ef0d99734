package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.tenant.Tenant;
import dev.errand.tool.mcp.McpServers;
import io.micrometer.core.instrument.MeterRegistry;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * All agents: built-in agents and those of the operator's files, which can be in a directory of
 * each tenant. A reload is atomic: callers see either all agents from before or all from after it.
 */
@Singleton
public class Agents {

  private static final Logger LOG = Logger.getLogger(Agents.class);

  private final AgentFiles files;
  private final McpServers servers;
  private final Map<String, AgentFiles.LoadedAgents> byTenant = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> logged = new HashMap<>();
  private volatile List<AgentHook> hooks = List.of();

  Agents(AgentFiles files, McpServers servers, MeterRegistry registry) {
    this.files = files;
    this.servers = servers;
    registry.gauge(
        "errand.agent.files.broken",
        byTenant,
        all ->
            all.values().stream().mapToInt(found -> found.diagnostics().problems().size()).sum());
  }

  /** Runs before any run can begin. With strict files, a broken file stops the start. */
  void load(@Observes @Priority(-2) StartupEvent start) {
    // A file may name tools, and tools that delegate ask for the agents when they are created.
    byTenant.put(place(Tenant.DEFAULT), AgentFiles.LoadedAgents.BUILT_IN);
    try {
      reload(Tenant.DEFAULT);
      files
          .unknownSetting(found(Tenant.DEFAULT))
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
   * servers that a file no longer defines, or defines differently, are stopped. The agent of a file
   * that is broken now stays as it was.
   *
   * @return warnings for the operator
   * @throws BrokenFile files are strict and one cannot be used; the definitions stay as they were
   */
  public synchronized List<String> reload(String tenant) {
    var before = files.areStrict() ? null : byTenant.get(place(tenant));
    var found =
        files.read(tenant, Objects.requireNonNullElse(before, AgentFiles.LoadedAgents.NOTHING));
    var diagnostics = found.diagnostics();
    if (files.areStrict() && !diagnostics.problems().isEmpty()) {
      throw diagnostics.problems().getFirst();
    }
    var warnings = new ArrayList<>(diagnostics.warnings());
    files.unknownSetting(found).ifPresent(warnings::add);
    if (!files.areOfTenants()) {
      servers.replaceOwn(found.servers());
      hooks = Stream.concat(found.hooks().stream(), hooksOfRemoved(found.catalog())).toList();
    }
    byTenant.put(place(tenant), found);
    log(tenant, diagnostics, warnings);
    LOG.infof("Agents: %s", found.catalog().all().stream().map(AgentDefinition::name).toList());
    return List.copyOf(warnings);
  }

  /** Logs each message once, until it was gone for a reload. */
  private void log(String tenant, AgentFileDiagnostics diagnostics, List<String> warnings) {
    var place = files.areOfTenants() ? "Agent file of tenant " + tenant + " " : "Agent file ";
    var messages = new LinkedHashMap<String, Logger.Level>();
    diagnostics.infos().forEach(info -> messages.put(place + info, Logger.Level.INFO));
    warnings.forEach(warning -> messages.put("Agents: " + warning, Logger.Level.WARN));
    diagnostics
        .problems()
        .forEach(broken -> messages.put(place + broken.sentence(), Logger.Level.ERROR));
    var before = logged.getOrDefault(place(tenant), Set.of());
    messages.forEach((message, level) -> {
      if (!before.contains(message)) {
        LOG.log(level, message);
      }
    });
    logged.put(place(tenant), messages.keySet());
  }

  /** Runs of an agent that was removed may still be under way, and keep its hooks. */
  private Stream<AgentHook> hooksOfRemoved(AgentCatalog catalog) {
    return hooks.stream().filter(hook -> catalog.named(hook.agent()).isEmpty());
  }

  /** Returns the hooks that agent files define, or defined for agents that were removed since. */
  public List<AgentHook> hooks() {
    return hooks;
  }

  /** Returns the agents of a tenant. Its files are read at the first use. */
  public AgentCatalog of(String tenant) {
    return found(tenant).catalog();
  }

  /** Returns the files of a tenant that are broken, at its last reading. */
  public List<BrokenFile> problems(String tenant) {
    return found(tenant).diagnostics().problems();
  }

  private AgentFiles.LoadedAgents found(String tenant) {
    var known = byTenant.get(place(tenant));
    return known == null ? first(tenant) : known;
  }

  /**
   * Returns whether some tenant may have such an agent. Reads no files, and is true when the files
   * of tenants are apart.
   */
  public boolean mayHave(Predicate<AgentDefinition> what) {
    return files.areOfTenants() || of(Tenant.DEFAULT).all().stream().anyMatch(what);
  }

  /** With strict files and a broken file, the tenant has no agents. */
  private synchronized AgentFiles.LoadedAgents first(String tenant) {
    try {
      if (!byTenant.containsKey(place(tenant))) {
        reload(tenant);
      }
    } catch (BrokenFile broken) {
      LOG.errorf(
          "The tenant %s has no agents until its agent file is repaired and the agents are reloaded: %s",
          tenant, broken.getMessage());
      byTenant.put(place(tenant), AgentFiles.LoadedAgents.NOTHING);
    }
    return byTenant.getOrDefault(place(tenant), AgentFiles.LoadedAgents.NOTHING);
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

    /** With strict files, a broken file is logged, and the definitions stay as they were. */
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
      var directory = files.directory(Tenant.DEFAULT);
      for (var file : directory.files(new AgentFileDiagnostics())) {
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
