package dev.errand.agent;

import dev.errand.agent.AgentFileReader.AgentDraft;
import dev.errand.markdown.BrokenFile;
import dev.errand.tool.mcp.ServerDefinition.AgentMcpServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Links the agents of files with each other and with the built-in ones. */
final class AgentLinks {

  private static final String ALL_AGENTS = "*";

  private final Collection<AgentDraft> drafts;
  private final Set<String> missing;
  private final AgentFileDiagnostics diagnostics;

  /**
   * @param missing the names of agents whose files are broken; no built-in agent takes their place,
   *     because it could have more rights
   */
  AgentLinks(Collection<AgentDraft> drafts, Set<String> missing, AgentFileDiagnostics diagnostics) {
    this.drafts = List.copyOf(drafts);
    this.missing = Set.copyOf(missing);
    this.diagnostics = diagnostics;
  }

  /**
   * @throws BrokenFile a file does not fit to the others
   */
  AgentCatalog catalog() {
    refuseEqualNames();
    refuseMissingPrimary();
    var all = new LinkedHashMap<String, AgentDefinition>();
    BuiltInAgents.ALL.stream()
        .filter(agent -> !missing.contains(agent.name()))
        .forEach(agent -> all.put(agent.name(), agent));
    for (var draft : drafts) {
      if (all.put(draft.definition().name(), draft.definition()) != null) {
        diagnostics.info(
            draft.file(),
            draft.name().line(),
            "replaces the built-in agent " + draft.definition().name());
      }
    }
    drafts.stream()
        .flatMap(draft -> Stream.ofNullable(draft.definition().parent()))
        .distinct()
        .forEach(name -> all.computeIfPresent(name, (_, agent) -> agent.withPrivateAgents()));
    var unlinked = new AgentCatalog(List.copyOf(all.values()));
    for (var draft : drafts) {
      var subagents = subagents(draft, unlinked);
      all.computeIfPresent(draft.definition().name(), (_, agent) -> agent.withSubagents(subagents));
    }
    drafts.forEach(draft -> warnAboutUnknownAgents(draft, unlinked));
    return new AgentCatalog(List.copyOf(all.values()));
  }

  private void refuseEqualNames() {
    var byName = new LinkedHashMap<String, AgentDraft>();
    for (var draft : drafts) {
      var before = byName.putIfAbsent(draft.definition().name(), draft);
      if (before != null) {
        throw new BrokenFile(
            draft.file(),
            draft.name().line(),
            "the agent in %s has the name '%s' already"
                .formatted(before.file(), draft.name().text()));
      }
    }
  }

  /** Sessions use {@code primary} by default. */
  private void refuseMissingPrimary() {
    for (var draft : drafts) {
      if (draft.definition().name().equals("primary") && !draft.definition().isPrimary()) {
        throw new BrokenFile(
            draft.file(),
            draft.name().line(),
            "'primary' is the default agent of root sessions; its mode must be primary or all");
      }
    }
  }

  private List<String> subagents(AgentDraft draft, AgentCatalog catalog) {
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

  /** An agent whose file is broken is still named, so that the others are no more than before. */
  private String subagent(AgentDraft draft, FieldText name, AgentCatalog catalog) {
    var found =
        catalog
            .find(name.text(), draft.definition().name())
            .filter(AgentDefinition::isDelegable)
            .map(AgentDefinition::name);
    if (found.isPresent()) {
      return found.get();
    }
    var canonical = AgentCatalog.canonical(name.text());
    if (missing.contains(canonical)
        || missing.contains(AgentFolders.whole(draft.definition().name(), canonical))) {
      diagnostics.warn(
          draft.file(), name.line(), "the file of the agent '" + name.text() + "' is broken");
      return canonical;
    }
    throw new BrokenFile(
        draft.file(),
        name.line(),
        "there is no agent '%s' that takes tasks; agents that do: %s"
            .formatted(
                name.text(), AgentCatalog.names(catalog.delegableBy(draft.definition().name()))));
  }

  private void warnAboutUnknownAgents(AgentDraft draft, AgentCatalog catalog) {
    draft.ruledAgents().stream()
        .filter(agent -> catalog.find(agent.text()).isEmpty())
        .forEach(agent ->
            diagnostics.warn(
                draft.file(),
                agent.line(),
                "a rule names the agent '" + agent.text() + "', which does not exist"));
  }

  /**
   * Returns the MCP servers of the files. Tool names begin with the name of their server, so each
   * name belongs to one agent.
   *
   * @throws BrokenFile two files use one name
   */
  List<AgentMcpServer> servers() {
    Map<String, AgentMcpServer> servers = new LinkedHashMap<>();
    for (var draft : drafts) {
      var agent = draft.definition().name();
      for (var own : draft.servers()) {
        var name = own.definition().name();
        var before = servers.putIfAbsent(name, new AgentMcpServer(agent, own.definition()));
        if (before != null) {
          throw new BrokenFile(
              draft.file(),
              own.line(),
              "'mcpServers.%s' is a server of agent %s already; choose another name, or configure one server for both"
                  .formatted(name, before.agent()));
        }
      }
    }
    return List.copyOf(servers.values());
  }
}
