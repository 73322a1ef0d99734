package dev.errand.tool.file;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * What file tools do not see or do not change, whatever a session's permissions say. Hidden are the
 * service's configuration and data where a workspace contains them: they hold keys and everybody's
 * transcripts. Not changed are agents, skills and templates of notices: they decide what agents may
 * do, and which programs are started for them. A file with a second name is not read unless that is
 * allowed, for the other name may be outside.
 */
@Singleton
public final class FileRules {

  /** What the service takes its configuration from, relative to where it was started. */
  public static final List<String> CONFIGURATION = List.of(".env", "config/application.properties");

  private final List<Path> hidden;
  private final List<Path> definitions;
  private final boolean hardLinks;

  @Inject
  FileRules(
      @ConfigProperty(name = "errand.home") String home,
      @ConfigProperty(name = "errand.agents.dir") String agents,
      @ConfigProperty(name = "errand.skills.dir") String skills,
      @ConfigProperty(name = "errand.templates.dir", defaultValue = "templates") String templates,
      @ConfigProperty(name = "errand.tools.hard-links", defaultValue = "false") boolean hardLinks) {
    this(
        Stream.concat(Stream.of(home, home + "/postgres"), CONFIGURATION.stream()).toList(),
        List.of(agents, skills, templates),
        hardLinks);
  }

  /**
   * @param hidden relative to where the service was started, or absolute; so are the definitions
   * @param hardLinks whether files with more than one name are read
   */
  public FileRules(List<String> hidden, List<String> definitions, boolean hardLinks) {
    this.hidden = hidden.stream().map(Path::of).map(FileRules::real).toList();
    this.definitions = definitions.stream().map(Path::of).map(FileRules::real).toList();
    this.hardLinks = hardLinks;
  }

  boolean readsHardLinks() {
    return hardLinks;
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
