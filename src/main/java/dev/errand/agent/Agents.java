package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tool.mcp.McpServers;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * All agents: the built-in ones and those of the operator's files. A reload is atomic: callers see
 * either all agents from before or all from after it.
 */
@ApplicationScoped
public class Agents {

  private static final Logger LOG = Logger.getLogger(Agents.class);

  private final AgentFiles files;
  private final McpServers servers;
  private volatile AgentCatalog catalog = new AgentCatalog(BuiltInAgents.ALL);
  private volatile List<AgentHook> hooks = List.of();

  Agents(AgentFiles files, McpServers servers) {
    this.files = files;
    this.servers = servers;
  }

  /** Runs before any run can begin, because a broken file stops the start. */
  void load(@Observes @Priority(-2) StartupEvent start) {
    try {
      reload();
      files
          .unknownSetting(catalog)
          .ifPresent(problem -> {
            throw new ConfigurationException(problem);
          });
    } catch (BrokenFile broken) {
      throw new ConfigurationException(
          "Agent file "
              + files.directory().path().resolve(broken.place())
              + ": "
              + broken.problem());
    }
  }

  /**
   * Reads the files again. Active runs keep the definition that they started with; MCP servers that
   * a file no longer defines, or defines differently, are stopped.
   *
   * @return warnings for the operator
   * @throws BrokenFile a file cannot be used; the definitions stay as they were
   */
  public synchronized List<String> reload() {
    var found = files.read();
    var warnings = new ArrayList<>(found.warnings());
    files.unknownSetting(found.catalog()).ifPresent(warnings::add);
    servers.replaceOwn(found.servers());
    hooks = found.hooks();
    catalog = found.catalog();
    found.infos().forEach(info -> LOG.infof("Agent file %s", info));
    warnings.forEach(warning -> LOG.warnf("Agents: %s", warning));
    LOG.infof("Agents: %s", catalog.all().stream().map(AgentDefinition::name).toList());
    return List.copyOf(warnings);
  }

  /** The hooks that agent files define. */
  public List<AgentHook> hooks() {
    return hooks;
  }

  public List<AgentDefinition> all() {
    return catalog.all();
  }

  /**
   * The agents to which a session may delegate.
   *
   * @param user the agent of the session
   */
  public List<AgentDefinition> delegableBy(String user, Permissions permissions) {
    return catalog.delegableBy(user, permissions);
  }

  /** Lists the names of {@link #delegableBy} for use in error messages. */
  public String namesFor(String user, Permissions permissions) {
    return AgentCatalog.names(catalog.delegableBy(user, permissions));
  }

  /** Finds an agent by name or alias, ignoring case. A private one needs its whole name. */
  public Optional<AgentDefinition> find(String name) {
    return catalog.find(name);
  }

  /**
   * Finds the agent that a session means by a name: a private agent of its own agent, or else one
   * that every agent may use.
   *
   * @param user the agent of the session
   */
  public Optional<AgentDefinition> find(String name, String user) {
    return catalog.find(name, user);
  }
}
