package dev.errand.agent;

import dev.errand.model.ModelNames;
import dev.errand.tool.ToolBox;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.skill.Skills;
import java.util.Set;

/**
 * The names that agent files may refer to.
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
}
