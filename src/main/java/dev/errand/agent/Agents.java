package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tool.mcp.McpServers;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
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
    } catch (BrokenFile broken) {
      throw new ConfigurationException(
          "Agent file " + files.directory().resolve(broken.place()) + ": " + broken.problem());
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
    servers.replaceOwn(found.servers());
    hooks = found.hooks();
    catalog = found.catalog();
    found.infos().forEach(info -> LOG.infof("Agent file %s", info));
    found.warnings().forEach(warning -> LOG.warnf("Agent file %s", warning));
    LOG.infof("Agents: %s", AgentCatalog.names(catalog.all()));
    return found.warnings();
  }

  /** The hooks that agent files define. */
  public List<AgentHook> hooks() {
    return hooks;
  }

  public List<AgentDefinition> all() {
    return catalog.all();
  }

  /** The agents to which a session with these permissions may delegate. */
  public List<AgentDefinition> delegableWith(Permissions permissions) {
    return catalog.delegableWith(permissions);
  }

  /** The names of {@link #delegableWith}, for a message. */
  public String namesWith(Permissions permissions) {
    return AgentCatalog.names(catalog.delegableWith(permissions));
  }

  /** Finds an agent by name or alias, ignoring case. */
  public Optional<AgentDefinition> find(String name) {
    return catalog.find(name);
  }
}
