package dev.errand.agent;

import dev.errand.model.ModelNames;
import dev.errand.tool.ToolBox;
import dev.errand.tool.skill.Skills;
import java.util.Set;

/**
 * What agents' files may name.
 *
 * @param mcpServers the names of the configured ones
 */
record AgentFileContext(ToolBox toolBox, ModelNames models, Skills skills, Set<String> mcpServers) {

  AgentFileContext {
    mcpServers = Set.copyOf(mcpServers);
  }
}
