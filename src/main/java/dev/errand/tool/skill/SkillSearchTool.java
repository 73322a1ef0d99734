package dev.errand.tool.skill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.stream.Collectors;

/** The tool {@code skill_search}: finds skills by words. For the agent {@code skill}. */
@ApplicationScoped
class SkillSearchTool implements Tool {

  private static final int MOST = 20;

  private final Skills skills;

  SkillSearchTool(Skills skills) {
    this.skills = skills;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "skill_search",
        "Finds skills by words in their names, descriptions and texts, the most fitting first, at most %d."
            .formatted(MOST),
        ParameterSchema.object().string("query", "Words to look for.").required().build());
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
    var found = skills.search(arguments.get("query").asText());
    if (!found.isEmpty()) {
      return ToolOutcome.ok(lines(found));
    }
    var all = skills.all();
    return ToolOutcome.ok(
        all.isEmpty()
            ? "There are no skills."
            : "No skill has one of these words. There are:\n" + lines(all));
  }

  private static String lines(List<Skill> found) {
    return found.stream()
        .limit(MOST)
        .map(skill -> "- " + skill.name() + ": " + skill.description())
        .collect(Collectors.joining("\n"));
  }
}
