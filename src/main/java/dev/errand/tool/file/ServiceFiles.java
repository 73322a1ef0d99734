package dev.errand.tool.file;

import dev.errand.tenant.TenantPath;
import dev.errand.tool.file.DirectoryIdentities.ServiceDirectory;
import io.smallrye.config.SmallRyeConfig;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * The files of the service itself: its home, its agents, skills and notice templates, and the
 * configuration in the directory where it was started. They contain keys and the transcripts of all
 * sessions, and they decide what agents may do and which programs are started. Agents neither see
 * nor change them, whether they exist or not.
 *
 * <p>A directory is recognised by its real path and by its identity (inode), so that no link, other
 * spelling or other mount leads around the rule, and a directory that was moved stays hidden.
 */
@Singleton
public final class ServiceFiles {

  private static final PathList CONFIGURATION =
      new PathList(
          List.of(".env*", "application*.properties", "application*.yaml", "application*.yml"));

  /** How long a look at the directories is used; only operators change them. */
  private static final long FRESH_NANOS = 1_000_000_000;

  private final Path start;
  private final Map<String, Path> folders;
  private final List<String> readAtStart;
  private final DirectoryIdentities identities = new DirectoryIdentities();
  private volatile Places known;

  @Inject
  ServiceFiles(
      @ConfigProperty(name = "errand.home") String home,
      @ConfigProperty(name = "errand.agents.dir") String agents,
      @ConfigProperty(name = "errand.skills.dir") String skills,
      @ConfigProperty(name = "errand.templates.dir", defaultValue = "templates") String templates,
      @ConfigProperty(name = "errand.worktrees.dir") String worktrees) {
    this(
        Path.of(""),
        Map.of(
            "home", Path.of(home),
            "agents", Path.of(agents),
            "skills", Path.of(skills),
            "templates", Path.of(templates),
            "worktrees", Path.of(worktrees)),
        ConfigProvider.getConfig().unwrap(SmallRyeConfig.class).getProfiles());
  }

  /**
   * @param start the directory in which the service was started
   * @param folders the other directories of the service by what they are, relative to {@code start}
   *     or absolute
   * @param profiles the configuration profiles of the service
   */
  public ServiceFiles(Path start, Map<String, Path> folders, List<String> profiles) {
    this.start = real(start);
    this.folders = new HashMap<>();
    folders.forEach(
        (what, folder) -> this.folders.put(what, this.start.resolve(folder).normalize()));
    this.folders.put("configuration", this.start.resolve("config"));
    this.readAtStart =
        Stream.concat(Stream.of(".env"), profiles.stream().map(".env-"::concat)).toList();
    this.known = places();
  }

  private record Places(long takenAt, List<ServiceDirectory> list) {}

  /**
   * Returns why a directory cannot be a workspace; empty if it can. The directory where the service
   * was started can, although it usually contains the others.
   *
   * @param workspace its real path
   */
  Optional<String> whyNoWorkspace(Path workspace) {
    var places = known();
    for (var part = workspace; part != null; part = part.getParent()) {
      var identity = identity(part);
      for (var place : places) {
        if (place.path().equals(part) || isSame(identity, place.identity())) {
          return Optional.of("is or lies in the " + place.what() + " directory of the service");
        }
      }
    }
    var identity = identity(workspace);
    return workspace.equals(start) || isSame(identity, identity(start))
        ? Optional.empty()
        : places.stream()
            .filter(place -> place.below(workspace, identity).isPresent())
            .map(place -> "contains the " + place.what() + " directory of the service")
            .findFirst();
  }

  /**
   * The files of the service in one workspace.
   *
   * @param folders relative to the workspace, in folded spelling
   * @param configuration whether files at the top of the workspace configure the service
   * @param identities of all directories of the service, wherever they are now
   */
  public record Inside(Set<String> folders, boolean configuration, Set<Object> identities) {

    /**
     * @param path relative to the workspace; its parent is not hidden
     * @param identity null if the file does not exist
     */
    public boolean hides(String path, @Nullable Object identity) {
      return (!folders.isEmpty() && folders.contains(Spelling.folded(path)))
          || (configuration && path.indexOf('/') < 0 && CONFIGURATION.contains(path))
          || (identity != null && identities.contains(identity));
    }
  }

  /**
   * @param workspace its real path
   */
  public Inside in(Path workspace) {
    var hidden = new HashSet<String>();
    relative(workspace).map(ShownPath::withSlashes).map(Spelling::folded).forEach(hidden::add);
    return new Inside(hidden, isStart(workspace), identities.all());
  }

  /** Returns the directories of the service in a workspace, whether they exist or not. */
  public List<Path> foldersIn(Path workspace) {
    var all = relative(workspace).map(workspace::resolve).distinct().toList();
    return all.stream()
        .filter(folder ->
            all.stream().noneMatch(other -> !other.equals(folder) && folder.startsWith(other)))
        .toList();
  }

  /**
   * Returns the configuration files at the top of a workspace: those that exist, and those that the
   * service would read at its next start.
   */
  public List<Path> filesIn(Path workspace) throws IOException {
    if (!isStart(workspace)) {
      return List.of();
    }
    try (var entries = Files.list(workspace)) {
      return Stream.concat(
              entries.filter(entry -> CONFIGURATION.contains(entry.getFileName().toString())),
              readAtStart.stream().map(workspace::resolve))
          .distinct()
          .toList();
    }
  }

  private boolean isStart(Path workspace) {
    return workspace.equals(start) || isSame(identity(workspace), identity(start));
  }

  private Stream<Path> relative(Path workspace) {
    var identity = identity(workspace);
    return known().stream().flatMap(place -> place.below(workspace, identity).stream());
  }

  private List<ServiceDirectory> known() {
    var now = known;
    if (System.nanoTime() - now.takenAt() > FRESH_NANOS) {
      now = places();
      known = now;
    }
    return now.list();
  }

  /**
   * Returns each directory as it is configured and, if a part of its path is a link, where that
   * leads; of directories of tenants, each one.
   */
  private Places places() {
    var list = new ArrayList<ServiceDirectory>();
    folders.forEach((what, path) ->
        new TenantPath(path)
            .existing()
            .forEach(folder -> {
              var parent = folder.getParent();
              var nearest = parent == null ? folder : real(parent).resolve(folder.getFileName());
              Stream.of(folder, nearest, real(folder))
                  .distinct()
                  .forEach(place -> list.add(ServiceDirectory.of(what, place)));
            }));
    list.forEach(identities::remember);
    return new Places(System.nanoTime(), List.copyOf(list));
  }

  @PreDestroy
  void close() throws IOException {
    identities.close();
  }

  private static boolean isSame(@Nullable Object one, @Nullable Object other) {
    return one != null && one.equals(other);
  }

  static @Nullable Object identity(Path path) {
    try {
      return Files.exists(path)
          ? Files.readAttributes(path, BasicFileAttributes.class).fileKey()
          : null;
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** Resolves the links of the part of the path that exists. */
  static Path real(Path path) {
    try {
      if (Files.exists(path)) {
        return path.toRealPath();
      }
    } catch (IOException unreadable) {
      // treated like a missing one
    }
    var absolute = path.toAbsolutePath().normalize();
    var parent = absolute.getParent();
    return parent == null ? absolute : real(parent).resolve(absolute.getFileName());
  }
}
