package dev.errand.tool.skill;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.MarkdownText;
import dev.errand.tool.OpenFolder;
import dev.errand.tool.ToolFailure;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The folder of skills in the file system: {@code <name>/SKILL.md} and whatever else lies beside
 * it. Below it no link is followed, and names that begin with a dot do not count.
 */
@ApplicationScoped
class SkillFolder {

  static final Path MAIN = Path.of("SKILL.md");

  static final int MAX_SKILLS = 500;
  private static final int MAX_FILES = 200;
  private static final int MAX_DEPTH = 6;

  private final Path root;

  SkillFolder(@ConfigProperty(name = "errand.skills.dir") String folder) {
    this.root = Path.of(folder).toAbsolutePath().normalize();
  }

  Path root() {
    return root;
  }

  /** What one of a skill's files is called in its folder, and its size. */
  record Entry(Path path, long bytes) {}

  /** The names of the folders that should hold skills, sorted; none where there is no folder. */
  List<String> names() {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (var folder = OpenFolder.at(root, Path.of(""))) {
      return folder.names(MAX_SKILLS).stream()
          .map(Path::toString)
          .filter(name -> !name.startsWith("."))
          .filter(name -> !Files.isRegularFile(root.resolve(name), LinkOption.NOFOLLOW_LINKS))
          .toList();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /**
   * Reads a skill.
   *
   * @throws BrokenFile it cannot be used
   */
  Skill read(String name) {
    var file = name + "/" + MAIN;
    try (var folder = OpenFolder.at(root, Path.of(name))) {
      var text = MarkdownText.decoded(file, bytes(folder, MAIN, file));
      return SkillText.read(name, file, text);
    } catch (IOException fault) {
      throw new BrokenFile(file, 1, "cannot be read; links are not followed");
    }
  }

  /** A file beside a skill's own; empty when there is none of that path. */
  Optional<byte[]> read(String name, Path path) {
    for (Path part : path) {
      if (part.toString().startsWith(".") || path.isAbsolute()) {
        return Optional.empty();
      }
    }
    var parent = Optional.ofNullable(path.getParent()).orElse(Path.of(""));
    try (var folder = OpenFolder.at(root, Path.of(name).resolve(parent))) {
      return Optional.of(bytes(folder, path.getFileName(), name + "/" + path));
    } catch (BrokenFile tooLarge) {
      throw new ToolFailure(tooLarge.sentence());
    } catch (IOException missing) {
      return Optional.empty();
    }
  }

  /** A skill's further files, at most {@value #MAX_FILES}. */
  List<Entry> files(String name) {
    var found = new ArrayList<Entry>();
    try {
      collect(Path.of(name), Path.of(""), found);
    } catch (IOException gone) {
      return List.copyOf(found);
    }
    return found.stream().filter(entry -> !entry.path().equals(MAIN)).toList();
  }

  private void collect(Path skill, Path below, List<Entry> found) throws IOException {
    try (var folder = OpenFolder.at(root, skill.resolve(below))) {
      for (var name : folder.names(MAX_FILES)) {
        var attributes = folder.attributes(name);
        var path = below.resolve(name);
        if (name.toString().startsWith(".") || found.size() >= MAX_FILES) {
          continue;
        }
        if (attributes.isRegularFile()) {
          found.add(new Entry(path, attributes.size()));
        } else if (attributes.isDirectory() && path.getNameCount() < MAX_DEPTH) {
          collect(skill, path, found);
        }
      }
    }
  }

  private static byte[] bytes(OpenFolder folder, Path name, String file) throws IOException {
    try (var channel = folder.file(name)) {
      if (channel.size() > MarkdownText.MAX_BYTES) {
        throw MarkdownText.tooLarge(file);
      }
      var bytes = ByteBuffer.allocate((int) channel.size());
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        continue;
      }
      return java.util.Arrays.copyOf(bytes.array(), bytes.position());
    }
  }
}
