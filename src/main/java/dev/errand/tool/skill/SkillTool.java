package dev.errand.tool.skill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.UntrustedText;
import dev.errand.permission.Permissions;
import dev.errand.tool.Choices;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.ToolUser;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

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
    return new ToolDefinition(
        NAME,
        "Load skill",
        DESCRIPTION,
        ParameterSchema.object()
            .string("name", "The name of the skill, or name/path for one of its further files.")
            .required()
            .build());
  }

  @Override
  public Optional<Choices> choices(Permissions permissions, ToolUser user) {
    return Optional.of(
        new Choices("name", "Skills", listed(skills.of(user.tenant()).allowed(permissions))));
  }

  private static SequencedMap<String, String> listed(List<Skill> allowed) {
    var listed = new LinkedHashMap<String, String>();
    var chars = 0;
    for (var skill : allowed) {
      var about = UntrustedText.line(TextCut.withEllipsis(skill.description(), MAX_DESCRIPTION));
      chars += skill.name().length() + about.length();
      if (chars > MAX_LIST_CHARS) {
        listed.put("(others)", "call this tool with a word to find the skills that contain it.");
        break;
      }
      listed.put(skill.name(), about);
    }
    return listed;
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

  /** Returns the name of the skill in the spelling of its directory. */
  @Override
  public String subject(ObjectNode arguments, ToolContext context) {
    return loader.of(context.tenant()).subject(arguments.path("name").asText());
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    return ToolOutcome.ok(loader.of(context.tenant()).load(arguments.get("name").asText()));
  }
}
