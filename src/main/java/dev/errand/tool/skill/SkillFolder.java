package dev.errand.tool.skill;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.MarkdownText;
import dev.errand.tenant.TenantPath;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.OpenFolder;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * The directory of skills: {@code <name>/SKILL.md} and further files next to it. Names that begin
 * with a dot are ignored. Links are resolved if they stay in the directory, as those of a mounted
 * ConfigMap do; the resolved path is then opened without following links.
 */
@Singleton
class SkillFolder {

  static final Path MAIN = Path.of("SKILL.md");

  static final int MAX_SKILLS = 500;
  private static final int MAX_FILES = 200;
  private static final int MAX_DEPTH = 6;

  private final Path root;

  @Inject
  SkillFolder(@ConfigProperty(name = "errand.skills.dir") String folder) {
    this.root = Path.of(folder).toAbsolutePath().normalize();
  }

  private SkillFolder(Path root) {
    this.root = root;
  }

  /** Returns whether each tenant has a directory of its own. */
  boolean isOfTenants() {
    return new TenantPath(root).isOfTenants();
  }

  SkillFolder of(String tenant) {
    return new SkillFolder(new TenantPath(root).of(tenant));
  }

  Path root() {
    return root;
  }

  /** A file of a skill: its path in the directory of the skill, and its size. */
  record SkillFile(Path path, long bytes) {}

  /** Returns the names of the directories that should contain skills, sorted; may be empty. */
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
   * The properties that change when the file of a skill does.
   *
   * @param file the inode, where the file system has one: a replaced file has another one
   */
  record SkillVersion(Path path, @Nullable Object file, FileTime modifiedAt, long bytes) {}

  /** Returns the version of a skill's file; empty when it cannot be read. */
  Optional<SkillVersion> version(String name) {
    try {
      var path = root.toRealPath().resolve(inside(Path.of(name).resolve(MAIN)));
      var attributes = Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
      return Optional.of(
          new SkillVersion(
              path, attributes.fileKey(), attributes.lastModifiedTime(), attributes.size()));
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /**
   * Reads a skill.
   *
   * @throws BrokenFile the skill cannot be used
   */
  Skill read(String name) {
    var file = name + "/" + MAIN;
    try {
      return SkillText.read(name, file, MarkdownText.decoded(file, bytes(file)));
    } catch (IOException fault) {
      throw new BrokenFile(
          file, 1, "cannot be read; links out of the directory of skills are not followed");
    }
  }

  /** Reads a further file of a skill; empty if there is none at this path. */
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

  /** Lists the further files of a skill, at most {@value #MAX_FILES}. */
  List<SkillFile> files(String name) {
    var found = new ArrayList<SkillFile>();
    try {
      collect(Path.of(name), Path.of(""), found);
    } catch (IOException missing) {
      return List.copyOf(found);
    }
    return found.stream().filter(entry -> !entry.path().equals(MAIN)).toList();
  }

  private void collect(Path skill, Path below, List<SkillFile> found) throws IOException {
    var place = inside(skill.resolve(below));
    try (var folder = OpenFolder.at(root, place)) {
      for (var name : folder.names(MAX_FILES)) {
        if (!name.toString().startsWith(".") && found.size() < MAX_FILES) {
          add(skill, below.resolve(name), place, found);
        }
      }
    }
  }

  /** Leaves out broken links and links to a parent or out of the directory. */
  private void add(Path skill, Path path, Path parent, List<SkillFile> found) throws IOException {
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
      found.add(new SkillFile(path, attributes.size()));
    } else if (attributes.isDirectory()
        && path.getNameCount() < MAX_DEPTH
        && !parent.startsWith(target)) {
      collect(skill, path, found);
    }
  }

  /** Reads again if a mounted ConfigMap was replaced at this moment. */
  private byte[] bytes(String file) throws IOException {
    try {
      return bytes(file, inside(Path.of(file)));
    } catch (NoSuchFileException replaced) {
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
      return Arrays.copyOf(bytes.array(), bytes.position());
    }
  }

  /** Resolves all links and returns the path relative to the directory of skills. */
  private Path inside(Path path) throws IOException {
    var top = root.toRealPath();
    var place = top.resolve(path).toRealPath();
    if (!place.startsWith(top)) {
      throw new FileSystemException(path.toString(), null, "leads out of the directory of skills");
    }
    return top.relativize(place);
  }
}
