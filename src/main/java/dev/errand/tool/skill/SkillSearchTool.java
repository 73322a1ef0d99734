package dev.errand.tool.skill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Collectors;

/** The tool {@code skill_search} of the agent {@code skill}: finds skills by words. */
@Singleton
class SkillSearchTool implements Tool {

  private static final int MAX_RESULTS = 20;

  private final Skills skills;

  SkillSearchTool(Skills skills) {
    this.skills = skills;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "skill_search",
        "Search skills",
        "Finds skills by words in their names, descriptions and texts; best matches first, at most %d."
            .formatted(MAX_RESULTS),
        ParameterSchema.object().string("query", "Words to search for.").required().build());
  }

  @Override
  public boolean needsGrant() {
    return true;
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var own = skills.of(context.tenant());
    var found = own.search(arguments.get("query").asText());
    if (!found.isEmpty()) {
      return ToolOutcome.ok(lines(found));
    }
    var all = own.all();
    return ToolOutcome.ok(
        all.isEmpty()
            ? "There are no skills."
            : "No skill contains one of these words. All skills:\n" + lines(all));
  }

  private static String lines(List<Skill> found) {
    return found.stream()
        .limit(MAX_RESULTS)
        .map(skill -> "- " + skill.name() + ": " + skill.description())
        .collect(Collectors.joining("\n"));
  }
}
