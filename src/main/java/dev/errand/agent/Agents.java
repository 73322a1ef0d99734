package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
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
 * The agents there are: the built-in ones (G2) and those of the operator's files (G3). Everybody
 * sees either all that was there before a reload or all that is there after it.
 */
@ApplicationScoped
public class Agents {

  private static final Logger LOG = Logger.getLogger(Agents.class);

  private final AgentFiles files;
  private final McpServers servers;
  private volatile AgentCatalog catalog = new AgentCatalog(BuiltInAgents.ALL);

  Agents(AgentFiles files, McpServers servers) {
    this.files = files;
    this.servers = servers;
  }

  /** Before any run can begin, and before the scheduler does: a broken file stops the start. */
  void load(@Observes @Priority(-2) StartupEvent start) {
    try {
      reload();
    } catch (BrokenFile broken) {
      throw new ConfigurationException(
          "Agent file " + files.folder().resolve(broken.place()) + ": " + broken.problem());
    }
  }

  /**
   * Reads the files again. Runs that have begun keep the definition they began with; MCP servers of
   * the files that are gone or have changed are ended.
   *
   * @return what an operator should know of them
   * @throws BrokenFile the definitions stay as they were
   */
  public synchronized List<String> reload() {
    var found = files.read();
    servers.replaceOwn(found.servers());
    catalog = found.catalog();
    found.infos().forEach(info -> LOG.infof("Agent file %s", info));
    found.warnings().forEach(warning -> LOG.warnf("Agent file %s", warning));
    LOG.infof("Agents: %s", AgentCatalog.names(catalog.all()));
    return found.warnings();
  }

  public List<AgentDefinition> all() {
    return catalog.all();
  }

  /** The agents a session with these permissions may delegate to. */
  public List<AgentDefinition> delegableWith(Permissions permissions) {
    return catalog.delegableWith(permissions);
  }

  /** The names of {@link #delegableWith}, for a sentence. */
  public String namesWith(Permissions permissions) {
    return AgentCatalog.names(catalog.delegableWith(permissions));
  }

  /** The same rule, about the agent's own name where it names one by alias or in another case. */
  public static Rule canonical(Rule rule) {
    return AgentCatalog.canonical(rule);
  }

  /** Finds an agent by name or alias, whatever the case (D6). */
  public Optional<AgentDefinition> find(String name) {
    return catalog.find(name);
  }
}
