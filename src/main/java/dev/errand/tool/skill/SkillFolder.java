package dev.errand.tool.skill;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.MarkdownText;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.OpenFolder;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The folder of skills in the file system: {@code <name>/SKILL.md} and whatever else lies beside
 * it. Names that begin with a dot do not count. Links are followed as long as they stay in the
 * folder, as those of a mounted ConfigMap do; what is found is then opened without following any.
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
          .filter(name -> !Files.isRegularFile(root.resolve(name)))
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
    try {
      return SkillText.read(name, file, MarkdownText.decoded(file, bytes(file)));
    } catch (IOException fault) {
      throw new BrokenFile(file, 1, "cannot be read; links out of the folder are not followed");
    }
  }

  /** A file beside a skill's own; empty when there is none of that path. */
  Optional<byte[]> read(String name, Path path) {
    for (Path part : path) {
      if (part.toString().startsWith(".") || path.isAbsolute()) {
        return Optional.empty();
      }
    }
    try {
      return Optional.of(bytes(name + "/" + path));
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
    var place = inside(skill.resolve(below));
    try (var folder = OpenFolder.at(root, place)) {
      for (var name : folder.names(MAX_FILES)) {
        if (!name.toString().startsWith(".") && found.size() < MAX_FILES) {
          add(skill, below.resolve(name), place, found);
        }
      }
    }
  }

  /** Links that lead nowhere, out of the folder or up are left out. */
  private void add(Path skill, Path path, Path parent, List<Entry> found) throws IOException {
    Path target;
    BasicFileAttributes attributes;
    try {
      target = inside(skill.resolve(path));
      attributes =
          Files.readAttributes(root.resolve(target), BasicFileAttributes.class, NOFOLLOW_LINKS);
    } catch (IOException unreadable) {
      return;
    }
    if (attributes.isRegularFile()) {
      found.add(new Entry(path, attributes.size()));
    } else if (attributes.isDirectory()
        && path.getNameCount() < MAX_DEPTH
        && !parent.startsWith(target)) {
      collect(skill, path, found);
    }
  }

  /** A mounted ConfigMap may be exchanged for a new one just then; the second time it is there. */
  private byte[] bytes(String file) throws IOException {
    try {
      return bytes(file, inside(Path.of(file)));
    } catch (NoSuchFileException exchanged) {
      return bytes(file, inside(Path.of(file)));
    }
  }

  private byte[] bytes(String file, Path place) throws IOException {
    var parent = Optional.ofNullable(place.getParent()).orElse(Path.of(""));
    try (var folder = OpenFolder.at(root, parent);
        var channel = folder.file(place.getFileName())) {
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

  /** Where this is below the folder when all links are resolved. */
  private Path inside(Path path) throws IOException {
    var top = root.toRealPath();
    var place = top.resolve(path).toRealPath();
    if (!place.startsWith(top)) {
      throw new FileSystemException(path.toString(), null, "leads out of the folder of skills");
    }
    return top.relativize(place);
  }
}
