package dev.errand.kit;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The folder of skills that the tested service reads. A test that writes to it clears it. */
@ApplicationScoped
public class SkillKit {

  private final Path folder;

  SkillKit(@ConfigProperty(name = "errand.skills.dir") String folder) {
    this.folder = Path.of(folder);
  }

  static String create() {
    try {
      return Files.createTempDirectory("errand-skills").toString();
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  /** The content of a skill file. */
  public static String text(String name, String description, String body) {
    return "---\nname: %s\ndescription: %s\n---\n%s\n".formatted(name, description, body);
  }

  public void define(String name, String description, String body) {
    write(name + "/SKILL.md", text(name, description, body));
  }

  public void write(String path, String text) {
    try {
      Files.createDirectories(folder.resolve(path).getParent());
      Files.writeString(folder.resolve(path), text);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  public String read(String path) {
    try {
      return Files.readString(folder.resolve(path));
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  /** The contents of the stored old versions of a skill, oldest first. */
  public List<String> versions(String name) {
    var kept = folder.resolve(".versions").resolve(name);
    if (Files.notExists(kept)) {
      return List.of();
    }
    try (var versions = Files.list(kept)) {
      return versions
          .sorted()
          .map(version -> read(folder.relativize(version) + "/SKILL.md"))
          .toList();
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  public void clear() {
    try {
      Files.walkFileTree(folder, new Deletion());
      Files.createDirectories(folder);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException exception)
        throws IOException {
      Files.delete(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
