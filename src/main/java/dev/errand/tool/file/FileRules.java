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
 * Files that the file tools hide or do not change, independent of permissions. Hidden are the
 * configuration and the data of the service if a workspace contains them, because they hold keys
 * and the transcripts of all sessions. Agents, skills and notice templates are not changed, because
 * they decide what agents may do and which programs are started for them. A file with more than one
 * hard link is not read unless that is enabled, because its other name may be outside the
 * workspace.
 */
@Singleton
public final class FileRules {

  /** The configuration files of the service, relative to its working directory. */
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
   * @param hidden paths relative to the working directory of the service, or absolute
   * @param definitions likewise
   * @param hardLinks whether files with more than one hard link are read
   */
  public FileRules(List<String> hidden, List<String> definitions, boolean hardLinks) {
    this.hidden = hidden.stream().map(Path::of).map(FileRules::real).toList();
    this.definitions = definitions.stream().map(Path::of).map(FileRules::real).toList();
    this.hardLinks = hardLinks;
  }

  boolean readsHardLinks() {
    return hardLinks;
  }

  /** Returns the hidden paths in a workspace, relative to it and with {@code /}. */
  Set<String> hiddenBelow(Path workspace) {
    return hidden.stream()
        .filter(path -> path.startsWith(workspace) && !path.equals(workspace))
        .map(path -> ShownPath.withSlashes(workspace.relativize(path)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the directories in a workspace that define agents, skills and notice templates. */
  public List<Path> definitionsBelow(Path workspace) {
    return definitions.stream()
        .filter(path -> path.startsWith(workspace) && !path.equals(workspace))
        .filter(Files::isDirectory)
        .toList();
  }

  /** Whether a file defines an agent, a skill or a notice template. */
  boolean isDefinition(Path file) {
    return definitions.stream().anyMatch(file::startsWith);
  }

  /** Resolves the links of the part of the path that exists. */
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
