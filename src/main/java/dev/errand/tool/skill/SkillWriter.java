package dev.errand.tool.skill;

import dev.errand.conversation.SessionId;
import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.MarkdownText;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.OpenFolder;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes skills: checks the content first, replaces the file atomically, and archives the old
 * version in {@code .versions/<name>/<time>/}. Idempotent.
 */
@Singleton
class SkillWriter {

  private static final Path VERSIONS = Path.of(".versions");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final SkillFolder folder;
  private final Map<String, SkillWriter> byTenant = new ConcurrentHashMap<>();
  private final Clock clock;

  SkillWriter(SkillFolder folder, Clock clock) {
    this.folder = folder;
    this.clock = clock;
  }

  /** Returns the writer of a tenant's skills. */
  SkillWriter of(String tenant) {
    return folder.isOfTenants()
        ? byTenant.computeIfAbsent(tenant, id -> new SkillWriter(folder.of(id), clock))
        : this;
  }

  /** The outcome of writing a skill. */
  enum Written {
    CREATED,
    REPLACED,
    UNCHANGED
  }

  /**
   * @param session in which an agent wrote the content; the file is marked with it
   * @throws ToolFailure the content is not a skill; nothing was changed
   */
  synchronized Written write(String name, String content, SessionId session) throws IOException {
    var bytes = checked(name, content, session);
    var target = target(name);
    Files.createDirectories(folder.root());
    var old = folder.read(target, SkillFolder.MAIN);
    if (old.filter(before -> isSame(before, bytes)).isPresent()) {
      return Written.UNCHANGED;
    }
    if (old.isPresent()) {
      var time = Path.of(TIME.format(clock.instant()));
      put(old.get(), VERSIONS, Path.of(target), time);
    }
    put(bytes, Path.of(target));
    return old.isPresent() ? Written.REPLACED : Written.CREATED;
  }

  /** Returns whether an agent wrote the same text, be it in another session. */
  private static boolean isSame(byte[] before, byte[] after) {
    return Arrays.equals(before, after)
        || (text(before).contains("\n" + Skill.WRITTEN_IN)
            && unmarked(before).equals(unmarked(after)));
  }

  private static String unmarked(byte[] bytes) {
    return text(bytes).replaceFirst("(?m)^" + Skill.WRITTEN_IN + ": .*\n", "");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] checked(String name, String content, SessionId session) {
    if (!SkillText.NAME.matcher(name).matches()) {
      throw new ToolFailure(
          "name: must have 1 to 64 letters, digits, '.', '_' and '-', and begin with a letter or"
              + " digit");
    }
    try {
      var given = content.getBytes(StandardCharsets.UTF_8);
      var text = SkillText.marked(MarkdownText.decoded("SKILL.md", given), session);
      var bytes = text.getBytes(StandardCharsets.UTF_8);
      if (bytes.length > MarkdownText.MAX_BYTES) {
        throw MarkdownText.tooLarge("SKILL.md");
      }
      if (!session.toString().equals(SkillText.read(name, "SKILL.md", text).writtenIn())) {
        throw new BrokenFile("SKILL.md", 1, "must have its keys in lines of the form 'key: value'");
      }
      return bytes;
    } catch (BrokenFile broken) {
      throw new ToolFailure("Nothing was written. content: " + broken.getMessage());
    }
  }

  /** An existing skill keeps the spelling of its directory. */
  private String target(String name) {
    return folder.names().stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
  }

  private void put(byte[] bytes, Path... names) throws IOException {
    var open = OpenFolder.at(folder.root(), Path.of(""));
    try {
      for (var name : names) {
        try (var parent = open) {
          open =
              parent.folderOrNew(name, folder.root(), below -> OpenFolder.at(folder.root(), below));
        }
      }
      open.replacement(SkillFolder.MAIN).put(bytes, () -> true);
    } finally {
      open.close();
    }
  }
}
