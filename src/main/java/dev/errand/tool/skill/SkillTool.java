package dev.errand.tool.skill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolContext.ToolUser;
import dev.errand.tool.ToolOutcome;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/** The tool {@code skill}: loads a skill, or one of its files, into the conversation. */
@Singleton
class SkillTool implements Tool {

  static final String NAME = "skill";

  private static final int MAX_LIST_CHARS = 10_000;
  private static final int MAX_DESCRIPTION = 400;

  private static final String DESCRIPTION =
      """
      Loads a skill: instructions for a kind of work, written by experts. If a skill fits the current task, load it before \
      you begin, and follow it.\
      """;

  private final Skills skills;
  private final SkillLoader loader;

  SkillTool(Skills skills, SkillLoader loader) {
    this.skills = skills;
    this.loader = loader;
  }

  @Override
  public ToolDefinition definition() {
    return definition(DESCRIPTION);
  }

  @Override
  public Optional<ToolDefinition> definitionFor(Permissions permissions, ToolUser user) {
    var allowed = skills.of(user.tenant()).allowed(permissions);
    return Optional.of(definition(DESCRIPTION + "\n\nSkills:\n" + listed(allowed)));
  }

  private static ToolDefinition definition(String description) {
    return new ToolDefinition(
        NAME,
        "Load skill",
        description,
        ParameterSchema.object()
            .string("name", "The name of the skill, or name/path for one of its further files.")
            .required()
            .build());
  }

  private static String listed(List<Skill> allowed) {
    var text = new StringBuilder();
    for (var skill : allowed) {
      var line =
          "- %s: %s%n"
              .formatted(skill.name(), TextCut.withEllipsis(skill.description(), MAX_DESCRIPTION));
      if (text.length() + line.length() > MAX_LIST_CHARS) {
        return text
            + "(There are more; call this tool with a word to find the skills that contain it.)";
      }
      text.append(line);
    }
    return text.toString().stripTrailing();
  }

  /** Models are not offered the tool if there are no skills. */
  @Override
  public boolean isOfUse(Permissions permissions, ToolUser user) {
    return !skills.of(user.tenant()).allowed(permissions).isEmpty();
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  /** The name of the skill in the spelling of its directory. */
  @Override
  public String subject(ObjectNode arguments, ToolContext context) {
    return loader.of(context.tenant()).subject(arguments.path("name").asText());
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    return ToolOutcome.ok(loader.of(context.tenant()).load(arguments.get("name").asText()));
  }
}
