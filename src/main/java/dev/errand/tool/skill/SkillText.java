package dev.errand.tool.skill;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads the text of a {@code SKILL.md}. Keys that mean something to others are left alone. */
final class SkillText {

  static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final int MAX_DESCRIPTION = 2_000;

  private SkillText() {}

  /**
   * @param folder the name of the skill's folder
   * @param file what messages call the file
   * @throws BrokenFile it is no skill, or another one than its folder says
   */
  static Skill read(String folder, String file, String text) {
    var matter = FrontMatter.of(file, text);
    var name = word(matter, "name");
    if (!NAME.matcher(name).matches() || !name.equalsIgnoreCase(folder)) {
      throw new BrokenFile(
          file, line(matter, "name"), "'name' must be that of its folder, '" + folder + "'");
    }
    var description = word(matter, "description").replaceAll("\\s+", " ");
    if (description.length() > MAX_DESCRIPTION) {
      throw new BrokenFile(
          file,
          line(matter, "description"),
          "'description' may have at most " + MAX_DESCRIPTION + " characters");
    }
    if (matter.body().isEmpty()) {
      throw new BrokenFile(
          file, 1, "the instructions are missing; write them below the second '---'");
    }
    return new Skill(folder, description, matter.body());
  }

  private static String word(FrontMatter matter, String key) {
    var field =
        matter.fields().stream()
            .filter(one -> one.key().equals(key))
            .findFirst()
            .orElseThrow(() -> new BrokenFile(matter.file(), 1, "'" + key + "' is missing"));
    if (field.value() instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
      return scalar.getValue().strip();
    }
    throw new BrokenFile(matter.file(), field.line(), "'" + key + "' must be a text");
  }

  private static int line(FrontMatter matter, String key) {
    return matter.fields().stream()
        .filter(one -> one.key().equals(key))
        .findFirst()
        .map(FrontMatter.Field::line)
        .orElse(1);
  }
}
