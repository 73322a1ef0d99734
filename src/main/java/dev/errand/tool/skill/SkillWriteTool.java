package dev.errand.tool.skill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.markdown.MarkdownText;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Locale;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** The tool {@code skill_write} of the agent {@code skill}: writes a skill. */
@Singleton
class SkillWriteTool implements UninterruptibleTool {

  private static final Logger LOG = Logger.getLogger(SkillWriteTool.class);

  private final SkillWriter writer;
  private final boolean enabled;

  SkillWriteTool(
      SkillWriter writer,
      @ConfigProperty(name = "errand.skills.write", defaultValue = "true") boolean enabled) {
    this.writer = writer;
    this.enabled = enabled;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "skill_write",
        "Write skill",
        """
        Writes a new skill, or a new version of an existing one. Load an existing skill first and keep what is good in it; \
        its current version is archived. The content is the whole SKILL.md: front matter between two lines --- with name and \
        description, then the instructions. The description says what the skill is for and when to use it.\
        """,
        ParameterSchema.object()
            .string("name", "The name of the skill: lower case letters, digits and '-'.")
            .required()
            .string("content", "The whole SKILL.md.")
            .maxLength(MarkdownText.MAX_BYTES)
            .required()
            .build());
  }

  @Override
  public boolean isOffered() {
    return enabled;
  }

  @Override
  public boolean needsGrant() {
    return true;
  }

  /** Returns {@code IDEMPOTENT}: a repeated call finds the same content. */
  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public String subject(ObjectNode arguments) {
    return arguments.path("name").asText().toLowerCase(Locale.ROOT);
  }

  /** An interrupt could leave an incomplete archived version. */
  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    if (!enabled) {
      return ToolOutcome.error(
          "Writing skills is disabled; an operator can set errand.skills.write=true.");
    }
    var name = arguments.get("name").asText();
    try {
      var written =
          writer
              .of(context.tenant())
              .write(name, arguments.get("content").asText(), context.session());
      LOG.infof("Skill %s: %s", name, written);
      return ToolOutcome.ok(
          switch (written) {
            case CREATED -> "The skill %s was created.".formatted(name);
            case REPLACED ->
                "The skill %s was replaced; its old version is archived.".formatted(name);
            case UNCHANGED -> "The skill %s has this content already.".formatted(name);
          });
    } catch (IOException fault) {
      throw new ToolFailure("The skill %s cannot be written.".formatted(name));
    }
  }
}
