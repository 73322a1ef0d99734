package dev.errand.tool.file;

import dev.errand.tenant.Tenant;
import dev.errand.tenant.TenantPath;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * The directories that workspaces may be in. They are checked by real path at each use, because a
 * link or a setting can change while a session exists.
 */
@Singleton
public final class WorkspaceRoots {

  private static final Logger LOG = Logger.getLogger(WorkspaceRoots.class);

  private final ServiceFiles service;
  private final List<TenantPath> roots;
  private final Path worktrees;
  private final boolean isShared;

  @Inject
  WorkspaceRoots(
      ServiceFiles service,
      @ConfigProperty(name = "errand.workspaces.roots") Optional<List<String>> roots,
      @ConfigProperty(name = "errand.workspace") String workspace,
      @ConfigProperty(name = "errand.worktrees.dir") String worktrees,
      @ConfigProperty(name = "errand.workspaces.shared", defaultValue = "false") boolean isShared) {
    this(service, roots.orElse(List.of(workspace)), Path.of(worktrees), isShared);
  }

  /**
   * @param worktrees the directory of the copies that children work in
   */
  public WorkspaceRoots(ServiceFiles service, List<String> roots, Path worktrees) {
    this(service, roots, worktrees, false);
  }

  private WorkspaceRoots(
      ServiceFiles service, List<String> roots, Path worktrees, boolean isShared) {
    this.isShared = isShared;
    this.service = service;
    this.worktrees = worktrees;
    this.roots = roots.stream().map(TenantPath::parse).toList();
  }

  /**
   * Returns why there must not be a second tenant, as the end of a sentence: it would work in the
   * directories of the first one. Empty if there may.
   */
  public Optional<String> whyOneTenant() {
    return isShared || roots.stream().allMatch(TenantPath::isOfTenants)
        ? Optional.empty()
        : Optional.of(
            "would work in the same directories as the other tenants; write {tenant} into each"
                + " directory of errand.workspaces.roots (ERRAND_WORKSPACES_ROOTS), or set"
                + " errand.workspaces.shared=true (ERRAND_WORKSPACES_SHARED) if that is meant");
  }

  /** Warns if sessions that name no workspace will be refused. */
  void check(
      @Observes StartupEvent start, @ConfigProperty(name = "errand.workspace") String workspace) {
    problem(TenantPath.parse(workspace).of(Tenant.DEFAULT))
        .ifPresent(problem ->
            LOG.warnf("The default workspace, errand.workspace=%s, %s", workspace, problem));
  }

  /**
   * Returns why agents must not work in this directory, as the end of a sentence; empty if they
   * may. The directory of a tenant must not lead to that of another one.
   */
  public Optional<String> problem(Path folder) {
    return problem(folder, ServiceFiles.real(folder), _ -> true);
  }

  /**
   * Returns why a resolved directory cannot be a workspace; empty if it can.
   *
   * @param real where {@code folder} really leads
   */
  Optional<String> problem(Path folder, Path real) {
    return problem(folder, real, _ -> true);
  }

  /**
   * Returns why a directory cannot be a workspace for the agents of one tenant; empty if it can.
   */
  public Optional<String> problem(Path folder, String tenant) {
    return problem(folder, ServiceFiles.real(folder), tenant::equals);
  }

  private Optional<String> problem(Path folder, Path real, Predicate<String> isOwn) {
    if (isTree(real)) {
      return Optional.empty();
    }
    return roots.stream().anyMatch(root -> isBelow(folder, real, root, isOwn))
        ? service.whyNoWorkspace(real)
        : Optional.of(
            "is outside the directories that workspaces may be in; an operator can add one to"
                + " errand.workspaces.roots (ERRAND_WORKSPACES_ROOTS)");
  }

  /**
   * Returns why a new session must not work in this directory: like {@link #problem}, and the
   * copies that children work in belong to their tasks.
   */
  public Optional<String> problemOfNew(Path folder, String tenant) {
    return isTree(ServiceFiles.real(folder))
        ? Optional.of("is or lies in the worktrees directory of the service")
        : problem(folder, tenant);
  }

  /**
   * Returns the outermost root in which an agent that works in one directory may also use another
   * one; empty if it may not. An agent that works in a copy may use nothing else. All are real
   * paths.
   */
  Optional<Path> rootOf(Path folder, Path workspace) {
    if (isTree(workspace)) {
      return folder.startsWith(workspace) ? Optional.of(workspace) : Optional.empty();
    }
    return tenants(workspace).containsAll(tenants(folder))
            && service.whyNoWorkspace(folder).isEmpty()
        ? roots.stream()
            .flatMap(root -> above(folder, root))
            .map(ServiceFiles::real)
            .min(Comparator.comparingInt(Path::getNameCount))
        : Optional.empty();
  }

  /** Returns the tenants in whose directories another one lies. */
  private Set<String> tenants(Path real) {
    return roots.stream()
        .filter(TenantPath::isOfTenants)
        .flatMap(root -> above(real, root).flatMap(folder -> root.tenantIn(folder).stream()))
        .collect(Collectors.toSet());
  }

  private static Stream<Path> above(Path real, TenantPath root) {
    return root.existing().stream().filter(folder -> real.startsWith(ServiceFiles.real(folder)));
  }

  /**
   * Returns whether this is the workspace of a child that works in a copy: {@code tree} in a folder
   * of the directory of worktrees. Its sibling and parent directories belong to the service.
   */
  private boolean isTree(Path real) {
    var above = ServiceFiles.real(worktrees);
    return real.startsWith(above)
        && real.getNameCount() == above.getNameCount() + 2
        && real.endsWith("tree");
  }

  /**
   * Returns why agents could change what this command runs, as the end of a sentence: one of its
   * words is a file in a directory that can be a workspace. Empty if none is.
   */
  public Optional<String> changeable(List<String> command) {
    return command.stream()
        .filter(this::isChangeable)
        .findFirst()
        .map(word ->
            "uses %s, which lies where agents may work, so that they could change it; move it to another directory, for example to config"
                .formatted(word));
  }

  private boolean isChangeable(String word) {
    try {
      var file = Path.of(word).toAbsolutePath().normalize();
      return Files.isRegularFile(file)
          && Stream.of(file, file.toRealPath())
              .map(Path::getParent)
              .anyMatch(folder -> folder != null && problem(folder).isEmpty());
    } catch (InvalidPathException | IOException noFile) {
      return false;
    }
  }

  private boolean isBelow(Path folder, Path real, TenantPath root, Predicate<String> isOwn) {
    if (!root.isOfTenants()) {
      return real.startsWith(ServiceFiles.real(root.of(Tenant.DEFAULT)));
    }
    return root.tenantIn(folder.toAbsolutePath().normalize())
        .filter(isOwn)
        .filter(tenant -> real.startsWith(ServiceFiles.real(root.of(tenant))))
        .filter(tenant -> isOfNoOther(real, tenant))
        .isPresent();
  }

  private boolean isOfNoOther(Path real, String tenant) {
    return roots.stream().flatMap(root -> root.tenantIn(real).stream()).allMatch(tenant::equals);
  }
}
