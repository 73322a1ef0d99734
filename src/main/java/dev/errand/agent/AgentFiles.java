package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.markdown.MarkdownText;
import dev.errand.model.ModelNames;
import dev.errand.tool.ToolBox;
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

/** The folder of the operator's agents: one {@code *.md} file for each (G3). */
@ApplicationScoped
class AgentFiles {

  private static final String EVERYBODY = "*";

  private final Path folder;
  private final AgentFileContext surroundings;

  AgentFiles(
      @ConfigProperty(name = "errand.agents.dir") String folder,
      ToolBox toolBox,
      ModelNames models,
      Skills skills,
      McpConfig mcp) {
    this.folder = Path.of(folder);
    this.surroundings = new AgentFileContext(toolBox, models, skills, mcp.servers().keySet());
  }

  /**
   * The agents there are with these files and the MCP servers of their own, and what an operator
   * should know of them.
   */
  record Found(
      AgentCatalog catalog,
      List<AgentMcpServer> servers,
      List<String> infos,
      List<String> warnings) {}

  Path folder() {
    return folder;
  }

  /** The agents' files in order of their names; none where there is no folder. */
  List<Path> list() {
    if (Files.notExists(folder)) {
      return List.of();
    }
    try (var entries = Files.list(folder)) {
      return entries
          .filter(entry -> entry.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".md"))
          .filter(entry -> !entry.getFileName().toString().startsWith("."))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException fault) {
      throw new BrokenFile(".", 1, "is no folder that can be read");
    }
  }

  /**
   * Reads them all.
   *
   * @throws BrokenFile one of them cannot be used; the first in order of their names
   */
  Found read() {
    var notes = new AgentFileDiagnostics();
    var reader = new AgentFileReader(surroundings, notes);
    var drafts = new LinkedHashMap<String, AgentFileReader.Draft>();
    for (var path : list()) {
      var matter = FrontMatter.of(path.getFileName().toString(), MarkdownText.read(path));
      add(reader.read(matter), drafts);
    }
    return new Found(
        catalog(drafts, notes), servers(drafts.values()), notes.infos(), notes.warnings());
  }

  private static void add(AgentFileReader.Draft draft, Map<String, AgentFileReader.Draft> drafts) {
    var before = drafts.putIfAbsent(draft.definition().name(), draft);
    if (before != null) {
      throw new BrokenFile(
          draft.definition().source(),
          draft.name().line(),
          "'%s' is the name of the agent in %s already"
              .formatted(draft.name().text(), before.definition().source()));
    }
  }

  /** Their tools' names begin with the servers', so these are of one agent each. */
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
              "'mcpServers.%s' is the name of a server of agent %s; give this one another, or configure one for both"
                  .formatted(name, before.agent()));
        }
      }
    }
    return List.copyOf(servers.values());
  }

  private static AgentCatalog catalog(
      Map<String, AgentFileReader.Draft> drafts, AgentFileDiagnostics notes) {
    var all = new LinkedHashMap<String, AgentDefinition>();
    BuiltInAgents.ALL.forEach(agent -> all.put(agent.name(), agent));
    for (var draft : drafts.values()) {
      var definition = draft.definition();
      if (all.put(definition.name(), definition) != null) {
        notes.info(
            definition.source(),
            draft.name().line(),
            "replaces the built-in agent " + definition.name());
      }
    }
    var unlinked = new AgentCatalog(List.copyOf(all.values()));
    drafts.values().forEach(draft -> all.put(draft.definition().name(), linked(draft, unlinked)));
    refuseMissingPrimary(drafts);
    return new AgentCatalog(List.copyOf(all.values()));
  }

  private static AgentDefinition linked(AgentFileReader.Draft draft, AgentCatalog catalog) {
    var subagents = new ArrayList<String>();
    for (var word : draft.subagents()) {
      if (word.text().equals(EVERYBODY)) {
        catalog.delegable().stream().map(AgentDefinition::name).forEach(subagents::add);
      } else {
        subagents.add(subagent(draft, word, catalog));
      }
    }
    return draft.definition().withSubagents(subagents.stream().distinct().toList());
  }

  private static String subagent(
      AgentFileReader.Draft draft, AgentFields.Word word, AgentCatalog catalog) {
    return catalog
        .find(word.text())
        .filter(AgentDefinition::isDelegable)
        .map(AgentDefinition::name)
        .orElseThrow(() ->
            new BrokenFile(
                draft.definition().source(),
                word.line(),
                "'subagents' names '%s', which no task can be given to; agents: %s"
                    .formatted(word.text(), AgentCatalog.names(catalog.delegable()))));
  }

  /** Sessions that name no agent get {@code primary}. */
  private static void refuseMissingPrimary(Map<String, AgentFileReader.Draft> drafts) {
    var draft = drafts.get("primary");
    if (draft != null && !draft.definition().isPrimary()) {
      throw new BrokenFile(
          draft.definition().source(),
          draft.name().line(),
          "'primary' is the agent of root sessions; its mode must be primary or all");
    }
  }
}
