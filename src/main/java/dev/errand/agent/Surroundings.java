package dev.errand.agent;

import dev.errand.model.ModelNames;
import dev.errand.tool.ToolBox;
import dev.errand.tool.skill.Skills;
import java.util.Set;

/**
 * What agents' files may name.
 *
 * @param mcpServers the names of the configured ones
 * @param agentsMayWrite whether the files lie where agents work
 */
record Surroundings(
    ToolBox toolBox,
    ModelNames models,
    Skills skills,
    Set<String> mcpServers,
    boolean agentsMayWrite) {

  Surroundings {
    mcpServers = Set.copyOf(mcpServers);
  }
}
