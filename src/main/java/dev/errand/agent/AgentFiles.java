package dev.errand.agent;

import dev.errand.agent.AgentFileReader.AgentDraft;
import dev.errand.markdown.BrokenFile;
import dev.errand.model.ModelNames;
import dev.errand.tenant.TenantPath;
import dev.errand.tool.ToolBox;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.ServerDefinition.AgentMcpServer;
import dev.errand.tool.skill.Skills;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The agents of the operator's files. */
@Singleton
class AgentFiles {

  private final AgentConfig config;
  private final TenantPath directory;
  private final Function<String, AgentFileContext> contexts;

  AgentFiles(
      AgentConfig config,
      ToolBox toolBox,
      ModelNames models,
      Skills skills,
      McpConfig mcp,
      WorkspaceRoots roots,
      @ConfigProperty(name = "errand.hooks.from-agent-files", defaultValue = "false")
          boolean hooks) {
    this.config = config;
    this.directory = new TenantPath(Path.of(config.dir()));
    this.contexts =
        tenant ->
            new AgentFileContext(
                toolBox, models, skills.of(tenant), mcp.servers().keySet(), hooks, roots);
  }

  /**
   * The content of the files of a tenant.
   *
   * @param catalog all agents, built-in ones included
   * @param drafts the agents of files, by file
   * @param missing the names of agents that are not there because their files are broken
   * @param diagnostics messages for the operator
   */
  record LoadedAgents(
      AgentCatalog catalog,
      Map<String, AgentDraft> drafts,
      Set<String> missing,
      List<AgentMcpServer> servers,
      AgentFileDiagnostics diagnostics) {

    /** No agents at all. */
    static final LoadedAgents NOTHING = of(List.of());

    /** Returns only the built-in agents. */
    static final LoadedAgents BUILT_IN = of(BuiltInAgents.ALL);

    private static LoadedAgents of(List<AgentDefinition> agents) {
      return new LoadedAgents(
          new AgentCatalog(agents), Map.of(), Set.of(), List.of(), new AgentFileDiagnostics());
    }

    LoadedAgents {
      drafts = Collections.unmodifiableMap(new LinkedHashMap<>(drafts));
      missing = Set.copyOf(missing);
      servers = List.copyOf(servers);
    }

    LoadedAgents with(Map<String, AgentConfig.AgentSettings> settings) {
      return new LoadedAgents(catalog.with(settings), drafts, missing, servers, diagnostics);
    }

    /** Returns the hooks that files define. */
    List<AgentHook> hooks() {
      return drafts.values().stream().flatMap(draft -> draft.hooks().stream()).toList();
    }
  }

  /** Returns whether each tenant has a directory of its own. */
  boolean areOfTenants() {
    return directory.isOfTenants();
  }

  /** Returns whether all files must be valid. */
  boolean areStrict() {
    return config.strict();
  }

  AgentDirectory directory(String tenant) {
    return new AgentDirectory(directory.of(tenant));
  }

  /**
   * Reads all files of a tenant. A file that is broken is a problem, and the agent that it defined
   * before stays as it was.
   *
   * @param before what was read the last time
   */
  LoadedAgents read(String tenant, LoadedAgents before) {
    var directory = directory(tenant);
    var diagnostics = new AgentFileDiagnostics();
    var documents =
        directory.files(diagnostics).stream()
            .map(path -> AgentDocument.read(directory.relative(path), path))
            .toList();
    var reading =
        new AgentReading(
            contexts.apply(tenant), new AgentFolders(documents), before.drafts(), diagnostics);
    diagnostics.problems().forEach(folder -> reading.keepAllOf(folder.file()));
    return reading.read(documents, this::refusePrograms).with(config.settings());
  }

  /** Programs of this machine are started for all tenants, so the configuration names them. */
  private void refusePrograms(AgentDraft draft) {
    if (areOfTenants() && !(draft.servers().isEmpty() && draft.hooks().isEmpty())) {
      throw new BrokenFile(
          draft.file(),
          draft.name().line(),
          "'mcpServers' and 'hooks' are not supported in agent files of a tenant; configure errand.mcp"
              + " or errand.hooks");
    }
  }

  /** Returns the first setting that names no agent; a message for the operator. */
  Optional<String> unknownSetting(LoadedAgents found) {
    return config.settings().keySet().stream()
        .filter(name -> found.catalog().named(name).isEmpty() && !found.missing().contains(name))
        .sorted()
        .findFirst()
        .map(name ->
            "errand.agents.%s: there is no agent '%s'; agents: %s"
                .formatted(
                    name,
                    name,
                    found.catalog().all().stream()
                        .map(AgentDefinition::name)
                        .collect(Collectors.joining(", "))));
  }
}
