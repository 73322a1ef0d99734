package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.errand.tool.ToolFailure;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The files that agents may not touch, independent of permissions: those outside the {@link
 * WorkspaceRoots}, the {@link ServiceFiles}, and the files on two lists of the operator, one for
 * reading and one for writing. A file with more than one hard link is not read unless that is
 * enabled, because its other name may be outside the workspace.
 */
@Singleton
public final class FileRules {

  /** Keys. */
  private static final String UNREADABLE = ".env,.env.*,!.env.example,id_*,!id_*.*,*.pem";

  /** Files that run code when somebody opens, enters or pushes the directory. */
  private static final String UNWRITABLE =
      ".git/**,.vscode/tasks.json,.envrc,.mcp.json,.claude/**,.github/workflows/**";

  private final WorkspaceRoots roots;
  private final ServiceFiles service;
  private final PathList unreadable;
  private final PathList unwritable;
  private final boolean hardLinks;

  @Inject
  FileRules(
      WorkspaceRoots roots,
      ServiceFiles service,
      @ConfigProperty(name = "errand.tools.deny-read", defaultValue = UNREADABLE)
          Optional<List<String>> unreadable,
      @ConfigProperty(name = "errand.tools.deny-write", defaultValue = UNWRITABLE)
          Optional<List<String>> unwritable,
      @ConfigProperty(name = "errand.tools.hard-links", defaultValue = "false") boolean hardLinks) {
    this.roots = roots;
    this.service = service;
    this.unreadable = new PathList(unreadable.orElse(List.of()));
    this.unwritable = new PathList(unwritable.orElse(List.of()));
    this.hardLinks = hardLinks;
  }

  /** The default lists. */
  public FileRules(WorkspaceRoots roots, ServiceFiles service, boolean hardLinks) {
    this(
        roots,
        service,
        Optional.of(List.of(UNREADABLE.split(","))),
        Optional.of(List.of(UNWRITABLE.split(","))),
        hardLinks);
  }

  /**
   * Returns the real path of a workspace. It is resolved once, so that the result is what was
   * judged.
   *
   * @throws ToolFailure agents must not work there, for example since it became a link
   */
  public Path workspace(Path folder) throws IOException {
    var real = ServiceFiles.real(folder);
    var problem = roots.problem(folder, real);
    if (problem.isPresent()) {
      throw new ToolFailure("The workspace of this session " + problem.get());
    }
    if (!Files.isDirectory(real, NOFOLLOW_LINKS)) {
      throw new NoSuchFileException(folder.toString());
    }
    return real;
  }

  /** Returns whether agents may work in a directory. */
  public boolean mayBeWorkspace(Path folder) {
    return roots.problem(folder).isEmpty();
  }

  /**
   * Returns the root in which an agent with this workspace may also use another directory; empty if
   * it may not. All are real paths.
   */
  public Optional<Path> rootOf(Path folder, Path workspace) {
    return roots.rootOf(folder, workspace);
  }

  /**
   * Returns the root that a workspace lies in, which no agent can replace; a copy is its own root.
   */
  public Path rootOf(Path workspace) {
    return roots.rootOf(workspace, workspace).orElse(workspace);
  }

  /**
   * Returns the path of a workspace below its root, with {@code /} at the end; empty for the root.
   */
  public String above(Path workspace) {
    var above = ShownPath.withSlashes(rootOf(workspace).relativize(workspace));
    return above.isEmpty() ? "" : above + "/";
  }

  public ServiceFiles service() {
    return service;
  }

  /**
   * Returns whether a file must not be read.
   *
   * @param path relative to the root of the workspace, with {@code /}
   */
  public boolean deniesReading(String path) {
    return unreadable.contains(path);
  }

  /** Returns whether a file must not be changed or created. */
  boolean deniesWriting(String path) {
    return unwritable.contains(path);
  }

  /** Returns whether files with more than one hard link are read. */
  public boolean readsHardLinks() {
    return hardLinks;
  }
}
