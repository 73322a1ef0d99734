package dev.errand.agent;

import dev.errand.conversation.Word;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.model.ModelNames;
import dev.errand.permission.Permissions;
import dev.errand.tool.mcp.McpServers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the definition of an agent from its file. */
final class AgentFileReader {

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");

  /** A model of Claude as Claude Code names it, without its provider. */
  private static final Pattern CLAUDE = Pattern.compile("claude-\\S+");

  /** The same limit as that of the field by which callers name an agent. */
  private static final int MAX_NAME = 100;

  private static final int MAX_TIMEOUT_MS = 86_400_000;

  private final AgentFileContext context;
  private final AgentFileDiagnostics diagnostics;

  AgentFileReader(AgentFileContext context, AgentFileDiagnostics diagnostics) {
    this.context = context;
    this.diagnostics = diagnostics;
  }

  /**
   * A definition whose subagents are not resolved yet.
   *
   * @param subagents the names that the file gives
   * @param ruledAgents the agents that its rules name
   * @param servers the MCP servers that the file defines
   * @param hooks the hooks that the file defines
   */
  record AgentDraft(
      AgentDefinition definition,
      FieldText name,
      List<FieldText> subagents,
      List<FieldText> ruledAgents,
      List<McpGrants.OwnServer> servers,
      List<AgentHook> hooks) {

    String file() {
      return definition.source();
    }
  }

  /**
   * @param parent the only agent that may use the file's agent; empty if all may
   * @param leads whether an agent of this name has private agents
   * @throws BrokenFile the file does not define an agent
   */
  AgentDraft read(FrontMatter matter, String parent, Predicate<String> leads) {
    var fields = new AgentFields(matter, diagnostics);
    var name = name(matter, fields, parent);
    var summary = fields.required(AgentFileKey.DESCRIPTION).text().replaceAll("\\s+", " ");
    if (matter.body().isEmpty()) {
      throw fields.broken(1, "the prompt is missing; write it below the second line '---'");
    }
    var mode = mode(fields, name);
    var subagents = Subagents.of(fields);
    var mcp = new McpGrants(matter.file(), fields, context.mcpServers(), diagnostics).read();
    var tools =
        new ToolGrants(
            fields, tool -> toolName(tool, mcp), group -> isGroup(group, mcp), diagnostics);
    var rules =
        Stream.concat(tools.rules(!subagents.isEmpty()).stream(), mcp.rules().stream()).toList();
    if (subagents.isEmpty()
        && mode != AgentDefinition.AgentMode.PRIMARY
        && !leads.test(name.text())) {
      warnAboutTask(matter, fields);
    }
    var definition =
        new AgentDefinition(
            name.text(),
            mode,
            summary,
            matter.body(),
            rules,
            terms(matter, fields, mode),
            matter.file());
    var hooks =
        new AgentHooks(
                name.text(), fields, context, tool -> toolName(tool, mcp).isPresent(), diagnostics)
            .read();
    return new AgentDraft(definition, name, subagents, tools.agents(), mcp.own(), hooks);
  }

  /** Returns the exact name of a tool that exists, or that a server of this file may offer. */
  private Optional<String> toolName(String tool, McpGrants.ReadGrants mcp) {
    return mcp.mayOffer(tool)
        ? Optional.of(tool)
        : context.toolBox().find(tool).map(found -> found.definition().name());
  }

  private boolean isGroup(String name, McpGrants.ReadGrants mcp) {
    return name.equals(Permissions.BASH_CHANGES)
        || McpServers.groups(Stream.concat(context.mcpServers().stream(), mcp.names()))
            .contains(name);
  }

  private void warnAboutTask(FrontMatter matter, AgentFields fields) {
    fields.tools().stream()
        .filter(entry -> ToolGrant.name(entry.text()).equals("task"))
        .findFirst()
        .ifPresent(entry ->
            diagnostics.warn(
                matter.file(),
                entry.line(),
                "a subagent delegates only to its 'subagents', and this file names none"));
  }

  private FieldText name(FrontMatter matter, AgentFields fields, String parent) {
    var given = fields.text(AgentFileKey.NAME);
    var line = given.map(FieldText::line).orElse(1);
    var name = given.map(FieldText::text).orElseGet(() -> AgentName.ofFile(matter.file()));
    var known = AgentName.of(name);
    if (!NAME.matcher(known).matches()) {
      throw fields.broken(
          line,
          "'name' must have 1 to 64 letters, digits, '-' and '_', and begin with a letter or"
              + " digit"
              + (given.isEmpty() ? "; without it, the file must be named like that" : ""));
    }
    if (given.isEmpty() || !known.equalsIgnoreCase(name)) {
      diagnostics.info(matter.file(), line, "the name of the agent is read as '" + known + "'");
    }
    var whole = AgentFolders.whole(parent, known);
    if (whole.length() > MAX_NAME) {
      throw fields.broken(
          line,
          "'name' is too long: %s must have at most %d characters".formatted(whole, MAX_NAME));
    }
    return new FieldText(whole, line);
  }

  /** A file that replaces a built-in agent has the mode of that agent by default. */
  private static AgentDefinition.AgentMode mode(AgentFields fields, FieldText name) {
    var given = fields.text(AgentFileKey.MODE);
    if (given.isEmpty()) {
      return new AgentCatalog(BuiltInAgents.ALL)
          .named(name.text())
          .map(AgentDefinition::mode)
          .orElse(AgentDefinition.AgentMode.SUBAGENT);
    }
    if (name.text().contains("/") && !given.get().text().equalsIgnoreCase("subagent")) {
      throw fields.broken(
          given.get().line(), "'mode' of a private agent must be subagent; leave it out");
    }
    return switch (given.get().text().toLowerCase(Locale.ROOT)) {
      case "primary" -> AgentDefinition.AgentMode.PRIMARY;
      case "subagent" -> AgentDefinition.AgentMode.SUBAGENT;
      case "all" -> AgentDefinition.AgentMode.ALL;
      default -> throw fields.broken(given.get().line(), "'mode' must be primary, subagent or all");
    };
  }

  private static Isolation isolation(AgentFields fields) {
    var given = fields.text(AgentFileKey.ISOLATION);
    return given.isEmpty()
        ? Isolation.SHARED
        : Word.find(Isolation.class, given.get().text().toLowerCase(Locale.ROOT))
            .orElseThrow(
                () -> fields.broken(given.get().line(), "'isolation' must be shared or worktree"));
  }

  private AgentDefinition.RunDefaults terms(
      FrontMatter matter, AgentFields fields, AgentDefinition.AgentMode mode) {
    var turns =
        mode == AgentDefinition.AgentMode.PRIMARY
            ? BuiltInAgents.PRIMARY_TURNS
            : BuiltInAgents.CHILD_TURNS;
    return new AgentDefinition.RunDefaults(
        fields.text(AgentFileKey.MODEL).flatMap(given -> model(matter.file(), given)).orElse(null),
        List.of(),
        fields.number(AgentFileKey.MAX_TURNS, 1, AgentDefinition.MAX_TURNS).orElse(turns),
        fields
            .number(AgentFileKey.MAX_RETRIES, 0, AgentDefinition.MAX_RETRIES)
            .orElse(AgentDefinition.RunDefaults.DEFAULT_RETRIES),
        fields
            .number(AgentFileKey.TIMEOUT_MS, 1, MAX_TIMEOUT_MS)
            .map(Duration::ofMillis)
            .orElse(AgentDefinition.RunDefaults.DEFAULT_TIMEOUT),
        skills(matter.file(), fields),
        isolation(fields));
  }

  /** An unknown skill is only a warning, because skills are looked up at each use. */
  private List<String> skills(String file, AgentFields fields) {
    var skills = fields.texts(AgentFileKey.SKILLS).orElse(List.of());
    skills.stream()
        .filter(skill -> context.skills().find(skill.text()).isEmpty())
        .forEach(skill ->
            diagnostics.warn(
                file, skill.line(), "there is no skill '" + skill.text() + "' at the moment"));
    return skills.stream().map(FieldText::text).toList();
  }

  /**
   * Returns the model; empty means that of the parent. An alias that is not configured is kept as
   * it is; {@code provider/name} is what other products write for {@code provider:name}.
   */
  private Optional<String> model(String file, FieldText given) {
    if (ModelNames.isInherited(given.text())) {
      return Optional.empty();
    }
    if (context.models().isUnset(given.text())) {
      var alias = given.text().toLowerCase(Locale.ROOT);
      diagnostics.warn(
          file,
          given.line(),
          "the model alias '%s' is not configured (errand.model-aliases.%s); the parent's model is used"
              .formatted(given.text(), alias));
      return Optional.of(alias);
    }
    var withProvider = given.text().replaceFirst("/", ":");
    if (!given.text().contains(":")
        && !context.models().isAlias(given.text())
        && context.models().problem(withProvider).isEmpty()) {
      return Optional.of(withProvider);
    }
    if (CLAUDE.matcher(given.text()).matches() && !context.models().isAlias(given.text())) {
      diagnostics.warn(
          file,
          given.line(),
          "the model '%s' has no provider (anthropic:%s would have one); the parent's model is used"
              .formatted(given.text(), given.text()));
      return Optional.empty();
    }
    context
        .models()
        .problem(given.text())
        .ifPresent(sentence -> diagnostics.warn(file, given.line(), sentence));
    return Optional.of(context.models().resolve(given.text()));
  }
}
