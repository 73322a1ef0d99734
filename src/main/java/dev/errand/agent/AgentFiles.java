package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.markdown.MarkdownText;
import dev.errand.model.ModelNames;
import dev.errand.tool.ToolBox;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.mcp.AgentMcpServer;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.skill.Skills;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The directory of the operator's agents, one {@code *.md} file per agent. */
@ApplicationScoped
class AgentFiles {

  private static final String ALL_AGENTS = "*";

  private final Path directory;
  private final AgentFileContext context;

  AgentFiles(
      @ConfigProperty(name = "errand.agents.dir") String directory,
      ToolBox toolBox,
      ModelNames models,
      Skills skills,
      McpConfig mcp,
      WorkspaceRoots roots,
      @ConfigProperty(name = "errand.hooks.from-agent-files", defaultValue = "false")
          boolean hooks) {
    this.directory = Path.of(directory);
    this.context =
        new AgentFileContext(toolBox, models, skills, mcp.servers().keySet(), hooks, roots);
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

  Path directory() {
    return directory;
  }

  /** The agent files, sorted by name; empty if the directory does not exist. */
  List<Path> list() {
    if (Files.notExists(directory)) {
      return List.of();
    }
    try (var entries = Files.list(directory)) {
      return entries
          .filter(entry -> entry.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".md"))
          .filter(entry -> !entry.getFileName().toString().startsWith("."))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException fault) {
      throw new BrokenFile(".", 1, "is not a directory that can be read");
    }
  }

  /**
   * Reads all files.
   *
   * @throws BrokenFile a file cannot be used; if there are several, the first one by name
   */
  Found read() {
    var diagnostics = new AgentFileDiagnostics();
    var reader = new AgentFileReader(context, diagnostics);
    var drafts = new LinkedHashMap<String, AgentFileReader.Draft>();
    for (var path : list()) {
      var matter = FrontMatter.of(path.getFileName().toString(), MarkdownText.read(path));
      add(reader.read(matter), drafts);
    }
    return new Found(
        catalog(drafts, diagnostics),
        servers(drafts.values()),
        drafts.values().stream().flatMap(draft -> draft.hooks().stream()).toList(),
        diagnostics.infos(),
        diagnostics.warnings());
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
      Map<String, AgentFileReader.Draft> drafts, AgentFileDiagnostics diagnostics) {
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
    var unlinked = new AgentCatalog(List.copyOf(all.values()));
    drafts.values().forEach(draft -> all.put(draft.definition().name(), linked(draft, unlinked)));
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

  private static AgentDefinition linked(AgentFileReader.Draft draft, AgentCatalog catalog) {
    var subagents = new ArrayList<String>();
    for (var name : draft.subagents()) {
      if (name.text().equals(ALL_AGENTS)) {
        catalog.delegable().stream().map(AgentDefinition::name).forEach(subagents::add);
      } else {
        subagents.add(subagent(draft, name, catalog));
      }
    }
    return draft.definition().withSubagents(subagents.stream().distinct().toList());
  }

  private static String subagent(
      AgentFileReader.Draft draft, AgentFields.Text name, AgentCatalog catalog) {
    return catalog
        .find(name.text())
        .filter(AgentDefinition::isDelegable)
        .map(AgentDefinition::name)
        .orElseThrow(() ->
            new BrokenFile(
                draft.definition().source(),
                name.line(),
                "there is no agent '%s' that takes tasks; agents that do: %s"
                    .formatted(name.text(), AgentCatalog.names(catalog.delegable()))));
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
