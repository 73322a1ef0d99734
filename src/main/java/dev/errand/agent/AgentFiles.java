package dev.errand.agent;

import dev.errand.agent.AgentFileContext.AgentFileDiagnostics;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.markdown.MarkdownText;
import dev.errand.model.ModelNames;
import dev.errand.tenant.TenantPath;
import dev.errand.tool.ToolBox;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.ServerDefinition.AgentMcpServer;
import dev.errand.tool.skill.Skills;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The agents of the operator's files, linked with each other and with the built-in ones. */
@Singleton
class AgentFiles {

  private static final String ALL_AGENTS = "*";

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
   * All agents, built-in ones included, the MCP servers and hooks that files define, and messages
   * for the operator.
   */
  record Found(
      AgentCatalog catalog,
      List<AgentMcpServer> servers,
      List<AgentHook> hooks,
      List<String> infos,
      List<String> warnings) {}

  /** Whether each tenant has a directory of its own. */
  boolean areOfTenants() {
    return directory.isOfTenants();
  }

  AgentDirectory directory(String tenant) {
    return new AgentDirectory(directory.of(tenant));
  }

  /**
   * Reads all files of a tenant.
   *
   * @throws BrokenFile a file cannot be used; if there are several, the first one by name
   */
  Found read(String tenant) {
    var directory = directory(tenant);
    var context = contexts.apply(tenant);
    var diagnostics = new AgentFileDiagnostics();
    var reader = new AgentFileReader(context, diagnostics);
    var drafts = new LinkedHashMap<String, AgentFileReader.Draft>();
    var paths = directory.files();
    var leaders = paths.stream().map(directory::parent).collect(Collectors.toSet());
    for (var path : paths) {
      var matter = FrontMatter.of(directory.relative(path), MarkdownText.read(path));
      add(reader.read(matter, directory.parent(path), leaders::contains), drafts);
    }
    if (areOfTenants()) {
      drafts.values().forEach(AgentFiles::refusePrograms);
    }
    return new Found(
        catalog(drafts, leaders, diagnostics).with(config.settings()),
        servers(drafts.values()),
        drafts.values().stream().flatMap(draft -> draft.hooks().stream()).toList(),
        diagnostics.infos(),
        diagnostics.warnings());
  }

  /** Programs of this machine are started for all tenants, so the configuration names them. */
  private static void refusePrograms(AgentFileReader.Draft draft) {
    if (!draft.servers().isEmpty() || !draft.hooks().isEmpty()) {
      throw new BrokenFile(
          draft.definition().source(),
          draft.name().line(),
          "'mcpServers' and 'hooks' are not supported in agent files of a tenant; configure errand.mcp"
              + " or errand.hooks");
    }
  }

  /** The first setting that names no agent; a message for the operator. */
  Optional<String> unknownSetting(AgentCatalog catalog) {
    return config.settings().keySet().stream()
        .filter(name -> catalog.named(name).isEmpty())
        .sorted()
        .findFirst()
        .map(name ->
            "errand.agents.%s: there is no agent '%s'; agents: %s"
                .formatted(
                    name,
                    name,
                    catalog.all().stream()
                        .map(AgentDefinition::name)
                        .collect(Collectors.joining(", "))));
  }

  private static void add(AgentFileReader.Draft draft, Map<String, AgentFileReader.Draft> drafts) {
    var before = drafts.putIfAbsent(draft.definition().name(), draft);
    if (before != null) {
      throw new BrokenFile(
          draft.definition().source(),
          draft.name().line(),
          "the agent in %s has the name '%s' already"
              .formatted(before.definition().source(), draft.name().text()));
    }
  }

  /** Tool names begin with the name of their server, so each name belongs to one agent. */
  private static List<AgentMcpServer> servers(Collection<AgentFileReader.Draft> drafts) {
    var servers = new LinkedHashMap<String, AgentMcpServer>();
    for (var draft : drafts) {
      var agent = draft.definition().name();
      for (var own : draft.servers()) {
        var name = own.definition().name();
        var before = servers.putIfAbsent(name, new AgentMcpServer(agent, own.definition()));
        if (before != null) {
          throw new BrokenFile(
              draft.definition().source(),
              own.line(),
              "'mcpServers.%s' is a server of agent %s already; choose another name, or configure one server for both"
                  .formatted(name, before.agent()));
        }
      }
    }
    return List.copyOf(servers.values());
  }

  private static AgentCatalog catalog(
      Map<String, AgentFileReader.Draft> drafts,
      Set<String> leaders,
      AgentFileDiagnostics diagnostics) {
    var all = new LinkedHashMap<String, AgentDefinition>();
    BuiltInAgents.ALL.forEach(agent -> all.put(agent.name(), agent));
    for (var draft : drafts.values()) {
      var definition = draft.definition();
      if (all.put(definition.name(), definition) != null) {
        diagnostics.info(
            definition.source(),
            draft.name().line(),
            "replaces the built-in agent " + definition.name());
      }
    }
    drafts.values().forEach(draft -> refuseMissingParent(draft.definition(), all));
    leaders.forEach(name -> all.computeIfPresent(name, (_, agent) -> agent.withPrivateAgents()));
    var unlinked = new AgentCatalog(List.copyOf(all.values()));
    for (var draft : drafts.values()) {
      var subagents = subagents(draft, unlinked);
      all.computeIfPresent(draft.definition().name(), (_, agent) -> agent.withSubagents(subagents));
    }
    drafts.values().forEach(draft -> warnAboutUnknownAgents(draft, unlinked, diagnostics));
    refuseMissingPrimary(drafts);
    return new AgentCatalog(List.copyOf(all.values()));
  }

  private static void warnAboutUnknownAgents(
      AgentFileReader.Draft draft, AgentCatalog catalog, AgentFileDiagnostics diagnostics) {
    draft.definition().ownRules().stream()
        .filter(rule -> rule.permission().equals("task") && !rule.pattern().contains("*"))
        .filter(rule -> catalog.find(rule.pattern()).isEmpty())
        .forEach(rule ->
            diagnostics.warn(
                draft.definition().source(),
                1,
                "a rule names the agent '" + rule.pattern() + "', which does not exist"));
  }

  private static List<String> subagents(AgentFileReader.Draft draft, AgentCatalog catalog) {
    var subagents = new ArrayList<String>();
    for (var name : draft.subagents()) {
      if (name.text().equals(ALL_AGENTS)) {
        catalog.delegable().stream().map(AgentDefinition::name).forEach(subagents::add);
      } else {
        subagents.add(subagent(draft, name, catalog));
      }
    }
    return subagents.stream().distinct().toList();
  }

  private static String subagent(
      AgentFileReader.Draft draft, AgentFields.Text name, AgentCatalog catalog) {
    return catalog
        .find(name.text(), draft.definition().name())
        .filter(AgentDefinition::isDelegable)
        .map(AgentDefinition::name)
        .orElseThrow(() ->
            new BrokenFile(
                draft.definition().source(),
                name.line(),
                "there is no agent '%s' that takes tasks; agents that do: %s"
                    .formatted(
                        name.text(),
                        AgentCatalog.names(catalog.delegableBy(draft.definition().name())))));
  }

  private static void refuseMissingParent(
      AgentDefinition agent, Map<String, AgentDefinition> agents) {
    var parent = agent.parent();
    if (parent != null && !agents.containsKey(parent)) {
      throw new BrokenFile(
          agent.source(),
          1,
          "there is no agent '%s', which alone could use the agents in this directory; name the directory like an agent, or move the file up"
              .formatted(parent));
    }
  }

  /** Sessions use {@code primary} by default. */
  private static void refuseMissingPrimary(Map<String, AgentFileReader.Draft> drafts) {
    var draft = drafts.get("primary");
    if (draft != null && !draft.definition().isPrimary()) {
      throw new BrokenFile(
          draft.definition().source(),
          draft.name().line(),
          "'primary' is the default agent of root sessions; its mode must be primary or all");
    }
  }
}
