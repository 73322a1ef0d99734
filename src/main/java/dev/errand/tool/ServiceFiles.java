package dev.errand.tool;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The service's own files, where a workspace contains them. Its configuration and its data hold
 * keys and everybody's transcripts: file tools do not see them. Agents, skills and templates of
 * notices decide what agents may do, and which programs are started for them: file tools read them
 * and do not change them.
 */
@Singleton
public final class ServiceFiles {

  private final List<Path> hidden;
  private final List<Path> definitions;

  @Inject
  ServiceFiles(
      @ConfigProperty(name = "errand.home") String home,
      @ConfigProperty(name = "errand.agents.dir") String agents,
      @ConfigProperty(name = "errand.skills.dir") String skills,
      @ConfigProperty(name = "errand.templates.dir", defaultValue = "templates") String templates) {
    this(
        List.of(home, ".env", "config/application.properties"), List.of(agents, skills, templates));
  }

  /** Paths relative to where the service was started, or absolute. */
  public ServiceFiles(List<String> hidden, List<String> definitions) {
    this.hidden = hidden.stream().map(Path::of).map(ServiceFiles::real).toList();
    this.definitions = definitions.stream().map(Path::of).map(ServiceFiles::real).toList();
  }

  /** What of a workspace is not seen, relative to it and with {@code /}. */
  Set<String> hiddenBelow(Path workspace) {
    return hidden.stream()
        .filter(path -> path.startsWith(workspace) && !path.equals(workspace))
        .map(path -> ShownPath.withSlashes(workspace.relativize(path)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The folders that tell the service what agents may do, as far as they are in a workspace. */
  public List<Path> definitionsBelow(Path workspace) {
    return definitions.stream()
        .filter(path -> path.startsWith(workspace) && !path.equals(workspace))
        .filter(Files::isDirectory)
        .toList();
  }

  /** Whether a file tells the service what agents may do. */
  boolean isDefinition(Path file) {
    return definitions.stream().anyMatch(file::startsWith);
  }

  /** Without links, as far as it is there. */
  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException missing) {
      var absolute = path.toAbsolutePath().normalize();
      var parent = absolute.getParent();
      return parent == null ? absolute : real(parent).resolve(absolute.getFileName());
    }
  }
}
