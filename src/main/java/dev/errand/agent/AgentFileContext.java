package dev.errand.agent;

import dev.errand.model.ModelNames;
import dev.errand.tool.ToolBox;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.skill.Skills;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What agent files may refer to.
 *
 * @param mcpServers the names of the configured servers
 * @param hooks whether they may define hooks
 */
record AgentFileContext(
    ToolBox toolBox,
    ModelNames models,
    Skills skills,
    Set<String> mcpServers,
    boolean hooks,
    WorkspaceRoots roots) {

  AgentFileContext {
    mcpServers = Set.copyOf(mcpServers);
  }

  /** Collects messages about agent files for the operator, each with file and line. */
  static final class AgentFileDiagnostics {

    private final List<String> infos = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    void info(String file, int line, String text) {
      infos.add(file + ":" + line + ": " + text);
    }

    void warn(String file, int line, String text) {
      warnings.add(file + ":" + line + ": " + text);
    }

    List<String> infos() {
      return List.copyOf(infos);
    }

    List<String> warnings() {
      return List.copyOf(warnings);
    }
  }
}
