package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.model.ModelNames;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes a definition of one agent's file. */
final class AgentFileReader {

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
  private static final int MAX_TURNS = 1000;
  private static final int MAX_RETRIES = 100;
  private static final int MAX_TIMEOUT_MS = 86_400_000;

  /** Names of models in files made for another product. */
  private static final Set<String> FOREIGN_MODELS = Set.of("haiku", "sonnet", "opus");

  private final AgentFileContext surroundings;
  private final AgentFileDiagnostics notes;

  AgentFileReader(AgentFileContext surroundings, AgentFileDiagnostics notes) {
    this.surroundings = surroundings;
    this.notes = notes;
  }

  /**
   * A definition whose subagents are not looked up yet.
   *
   * @param subagents as the file names them
   * @param servers MCP servers that the file defines
   */
  record Draft(
      AgentDefinition definition,
      AgentFields.Word name,
      List<AgentFields.Word> subagents,
      List<McpGrants.Own> servers) {}

  /**
   * @throws BrokenFile the file is no agent's
   */
  Draft read(FrontMatter matter) {
    var fields = new AgentFields(matter, notes);
    var name = name(fields);
    var summary = fields.required(AgentFileKey.DESCRIPTION).text().replaceAll("\\s+", " ");
    if (matter.body().isEmpty()) {
      throw fields.broken(1, "the prompt is missing; write it below the second '---'");
    }
    var mode = mode(fields, name);
    var subagents = fields.words(AgentFileKey.SUBAGENTS).orElse(List.of());
    var mcp = new McpGrants(matter.file(), fields, surroundings.mcpServers(), notes).read();
    var tools = new ToolGrants(matter, fields, tool -> toolName(tool, mcp), notes);
    var rules =
        Stream.concat(tools.rules(!subagents.isEmpty()).stream(), mcp.rules().stream()).toList();
    if (subagents.isEmpty() && mode != AgentDefinition.Mode.PRIMARY) {
      warnOfTask(matter, fields);
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
    return new Draft(definition, name, subagents, mcp.own());
  }

  /** What a tool is called that is there now, or may come with a server of the file's. */
  private Optional<String> toolName(String tool, McpGrants.Read mcp) {
    return mcp.mayBring(tool)
        ? Optional.of(tool)
        : surroundings.toolBox().find(tool).map(found -> found.definition().name());
  }

  private void warnOfTask(FrontMatter matter, AgentFields fields) {
    fields.words(AgentFileKey.TOOLS).orElse(List.of()).stream()
        .filter(word -> ToolGrant.name(word.text()).equalsIgnoreCase("task"))
        .findFirst()
        .ifPresent(word ->
            notes.warn(
                matter.file(),
                word.line(),
                "a subagent delegates only to its 'subagents', and there are none"));
  }

  private static AgentFields.Word name(AgentFields fields) {
    var given = fields.required(AgentFileKey.NAME);
    var name = given.text().toLowerCase(Locale.ROOT);
    if (!NAME.matcher(name).matches()) {
      throw fields.broken(
          given.line(),
          "'name' must have 1 to 64 letters, digits, '-' and '_', and begin with a letter or digit");
    }
    return new AgentFields.Word(name, given.line());
  }

  /** One that replaces a built-in agent is used where that one was, unless it says otherwise. */
  private static AgentDefinition.Mode mode(AgentFields fields, AgentFields.Word name) {
    var word = fields.text(AgentFileKey.MODE);
    if (word.isEmpty()) {
      return new AgentCatalog(BuiltInAgents.ALL)
          .named(name.text())
          .map(AgentDefinition::mode)
          .orElse(AgentDefinition.Mode.SUBAGENT);
    }
    return switch (word.get().text().toLowerCase(Locale.ROOT)) {
      case "primary" -> AgentDefinition.Mode.PRIMARY;
      case "subagent" -> AgentDefinition.Mode.SUBAGENT;
      case "all" -> AgentDefinition.Mode.ALL;
      default -> throw fields.broken(word.get().line(), "'mode' must be primary, subagent or all");
    };
  }

  private AgentDefinition.Terms terms(
      FrontMatter matter, AgentFields fields, AgentDefinition.Mode mode) {
    var turns =
        mode == AgentDefinition.Mode.PRIMARY
            ? BuiltInAgents.PRIMARY_TURNS
            : BuiltInAgents.CHILD_TURNS;
    return new AgentDefinition.Terms(
        fields.text(AgentFileKey.MODEL).map(word -> model(matter.file(), word)).orElse(null),
        List.of(),
        fields.number(AgentFileKey.MAX_TURNS, 1, MAX_TURNS).orElse(turns),
        fields
            .number(AgentFileKey.MAX_RETRIES, 0, MAX_RETRIES)
            .orElse(AgentDefinition.Terms.DEFAULT_RETRIES),
        fields
            .number(AgentFileKey.TIMEOUT_MS, 1, MAX_TIMEOUT_MS)
            .map(Duration::ofMillis)
            .orElse(AgentDefinition.Terms.DEFAULT_TIMEOUT),
        skills(matter.file(), fields));
  }

  /** One that is not there may come: skills are looked up at every use. */
  private List<String> skills(String file, AgentFields fields) {
    var words = fields.words(AgentFileKey.SKILLS).orElse(List.of());
    words.stream()
        .filter(word -> surroundings.skills().find(word.text()).isEmpty())
        .forEach(word ->
            notes.warn(
                file, word.line(), "there is no skill '" + word.text() + "', at least not now"));
    return words.stream().map(AgentFields.Word::text).toList();
  }

  /** Null means the parent's. */
  private @Nullable String model(String file, AgentFields.Word word) {
    if (ModelNames.isInherited(word.text())) {
      return null;
    }
    var problem = surroundings.models().problem(word.text());
    if (problem.isPresent() && FOREIGN_MODELS.contains(word.text().toLowerCase(Locale.ROOT))) {
      notes.warn(
          file,
          word.line(),
          "the model alias '%s' is not configured (errand.model-aliases.%s); the parent's model is used"
              .formatted(word.text(), word.text().toLowerCase(Locale.ROOT)));
      return null;
    }
    problem.ifPresent(sentence -> notes.warn(file, word.line(), sentence));
    return surroundings.models().resolve(word.text());
  }
}
