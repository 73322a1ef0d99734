package dev.errand.tool.skill;

import dev.errand.conversation.TextCut;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.MarkdownText;
import dev.errand.tool.ToolFailure;
import jakarta.inject.Singleton;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Loads the text of a skill: its instructions and the list of its further files. A key is the name
 * of a skill, or {@code name/path} for one of its files.
 */
@Singleton
public class SkillLoader {

  private static final int MAX_CHARS = 80_000;
  private static final int MAX_NAMED = 20;
  private static final int MAX_QUOTED = 200;

  private final Skills skills;
  private final SkillFolder folder;

  SkillLoader(Skills skills, SkillFolder folder) {
    this.skills = skills;
    this.folder = folder;
  }

  /** Returns the loader of a tenant's skills. */
  public SkillLoader of(String tenant) {
    return new SkillLoader(skills.of(tenant), folder.of(tenant));
  }

  /**
   * Returns the name of the skill in the spelling of its directory, as permission rules need it.
   */
  public String subject(String key) {
    var name = nameIn(key);
    return skills.find(name).map(Skill::name).orElse(name);
  }

  private static String nameIn(String key) {
    var slash = key.indexOf('/');
    return (slash < 0 ? key : key.substring(0, slash)).strip();
  }

  /**
   * @throws ToolFailure there is no such skill or file; the message lists those that exist
   */
  public String load(String key) {
    var name = nameIn(key);
    var skill = skills.find(name).orElseThrow(() -> unknown(name));
    var slash = key.indexOf('/');
    return slash < 0 || key.substring(slash + 1).isBlank()
        ? whole(skill)
        : shown(file(skill, key.substring(slash + 1).strip()));
  }

  private static String shown(String text) {
    return text.length() <= MAX_CHARS
        ? text
        : TextCut.withEllipsis(text, MAX_CHARS)
            + "\n\n(The text is cut: its first %d of %d characters are shown.)"
                .formatted(MAX_CHARS, text.length());
  }

  private String whole(Skill skill) {
    var files = files(skill);
    var further =
        files.isEmpty()
            ? ""
            : "\n\nFurther files of this skill; load them by these names when you need them:\n"
                + files;
    var author = skill.writtenIn() == null ? "" : " (written by an agent)";
    return "# Skill " + skill.name() + author + "\n\n" + shown(skill.body()) + further;
  }

  private String files(Skill skill) {
    return folder.files(skill.name()).stream()
        .map(entry -> "- %s/%s (%d bytes)".formatted(skill.name(), entry.path(), entry.bytes()))
        .collect(Collectors.joining("\n"));
  }

  private String file(Skill skill, String path) {
    var bytes = folder.read(skill.name(), parse(path)).orElseThrow(() -> noFile(skill, path));
    try {
      return MarkdownText.decoded(path, bytes);
    } catch (BrokenFile binary) {
      return "%s/%s is not a text file (%d bytes); its content is not shown."
          .formatted(skill.name(), path, bytes.length);
    }
  }

  private static Path parse(String path) {
    try {
      return Path.of(path);
    } catch (InvalidPathException invalid) {
      throw new ToolFailure("name: is not a valid path");
    }
  }

  private ToolFailure noFile(Skill skill, String path) {
    var files = files(skill);
    return new ToolFailure(
        "The skill %s has no file '%s'. %s"
            .formatted(
                skill.name(),
                TextCut.withEllipsis(path, MAX_QUOTED),
                files.isEmpty() ? "It has no further files." : "Its files:\n" + files));
  }

  private ToolFailure unknown(String name) {
    var similar = skills.search(name);
    var known = similar.isEmpty() ? skills.all() : similar;
    return new ToolFailure(
        "There is no skill '%s'. %s: %s."
            .formatted(
                TextCut.withEllipsis(name, MAX_QUOTED),
                similar.isEmpty() ? "Skills" : "Similar skills",
                known.isEmpty()
                    ? "none"
                    : known.stream()
                        .limit(MAX_NAMED)
                        .map(Skill::name)
                        .collect(Collectors.joining(", "))));
  }
}
