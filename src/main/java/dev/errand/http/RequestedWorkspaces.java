package dev.errand.http;

import dev.errand.auth.Callers;
import dev.errand.tenant.TenantPath;
import dev.errand.tool.file.WorkspaceRoots;
import jakarta.inject.Singleton;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** The directories that clients ask for as workspaces of new sessions. */
@Singleton
public class RequestedWorkspaces {

  private static final String FIELD = "workspace";

  private final WorkspaceRoots roots;
  private final Callers callers;
  private final String byDefault;

  RequestedWorkspaces(
      WorkspaceRoots roots,
      Callers callers,
      @ConfigProperty(name = "errand.workspace") String byDefault) {
    this.roots = roots;
    this.callers = callers;
    this.byDefault = byDefault;
  }

  /**
   * Returns the absolute path of a workspace. A directory outside the roots gets the same answer
   * whether it exists or not.
   *
   * @param asked null for the default
   * @throws Refusal agents must not work there
   */
  public Path check(@Nullable String asked) {
    var tenant = callers.tenant();
    var folder = Objects.requireNonNullElseGet(asked, () -> TenantPath.text(byDefault, tenant));
    try {
      var path = Path.of(folder).toAbsolutePath().normalize();
      roots
          .problemOfNew(path, tenant)
          .ifPresent(problem -> {
            throw Refusal.invalid(FIELD, folder + " " + problem);
          });
      if (Files.isDirectory(path)) {
        return path;
      }
    } catch (InvalidPathException notAPath) {
      throw Refusal.invalid(FIELD, "must be the path of a directory");
    }
    throw Refusal.invalid(FIELD, "there is no directory " + folder);
  }
}
