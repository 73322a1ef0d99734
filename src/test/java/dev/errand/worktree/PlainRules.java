package dev.errand.worktree;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.ServiceFiles;
import dev.errand.tool.file.WorkspaceRoots;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Rules under which every directory may be a workspace. */
final class PlainRules {

  private static final ServiceFiles SERVICE =
      new ServiceFiles(Path.of("/nowhere"), Map.of(), List.of());

  static final FileRules RULES =
      new FileRules(new WorkspaceRoots(SERVICE, List.of("/"), Path.of("/nowhere")), SERVICE, false);

  private PlainRules() {}
}
