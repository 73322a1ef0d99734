package dev.errand.tool.skill;

import dev.errand.conversation.SessionId;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.markdown.YamlField;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads the text of a {@code SKILL.md}. Unknown keys are ignored. */
final class SkillText {

  static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final int MAX_DESCRIPTION = 2_000;

  private static final Set<String> KEYS = Set.of("name", "description", Skill.WRITTEN_IN);

  private SkillText() {}

  /**
   * @param directory the name of the skill's directory
   * @param file the name of the file in messages
   * @throws BrokenFile the text is not a skill, or has another name than its directory
   */
  static Skill read(String directory, String file, String text) {
    var matter = FrontMatter.of(file, text, SkillText::isKnown);
    var name = text(matter, "name");
    if (!NAME.matcher(name).matches() || !name.equalsIgnoreCase(directory)) {
      throw new BrokenFile(
          file,
          line(matter, "name"),
          "'name' must be the name of its directory, '" + directory + "'");
    }
    var description = text(matter, "description").replaceAll("\\s+", " ");
    if (description.length() > MAX_DESCRIPTION) {
      throw new BrokenFile(
          file,
          line(matter, "description"),
          "'description' may have at most " + MAX_DESCRIPTION + " characters");
    }
    if (matter.body().isEmpty()) {
      throw new BrokenFile(
          file, 1, "the instructions are missing; write them below the second line '---'");
    }
    return new Skill(directory, description, matter.body(), writtenIn(matter));
  }

  /**
   * Marks the text of a skill as written by an agent.
   *
   * @throws BrokenFile the text has such a mark
   */
  static String marked(String text, SessionId session) {
    var matter = FrontMatter.of("SKILL.md", text, SkillText::isKnown);
    if (field(matter, Skill.WRITTEN_IN).isPresent()) {
      throw new BrokenFile(
          "SKILL.md",
          line(matter, Skill.WRITTEN_IN),
          "'" + Skill.WRITTEN_IN + "' is set by the service; leave it out");
    }
    return FrontMatter.withLine("SKILL.md", text, Skill.WRITTEN_IN + ": " + session);
  }

  private static @Nullable String writtenIn(FrontMatter matter) {
    return field(matter, Skill.WRITTEN_IN)
        .map(field -> field.value() instanceof ScalarNode scalar ? scalar.getValue() : "unknown")
        .orElse(null);
  }

  private static String text(FrontMatter matter, String key) {
    var field =
        field(matter, key)
            .orElseThrow(() -> new BrokenFile(matter.file(), 1, "'" + key + "' is missing"));
    if (field.value() instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
      return scalar.getValue().strip();
    }
    throw new BrokenFile(matter.file(), field.line(), "'" + key + "' must be a text");
  }

  private static int line(FrontMatter matter, String key) {
    return field(matter, key).map(YamlField::line).orElse(1);
  }

  private static Optional<YamlField> field(FrontMatter matter, String key) {
    return matter.fields().stream().filter(field -> field.key().equalsIgnoreCase(key)).findFirst();
  }

  private static boolean isKnown(String key) {
    return KEYS.contains(key.strip().toLowerCase(Locale.ROOT));
  }
}
