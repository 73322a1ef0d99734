package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.skill.SkillLoader;
import jakarta.inject.Singleton;

/**
 * Makes system prompts: of the agent's prompt, the skills that its definition names, and what is
 * said of the session's tools.
 */
@Singleton
class SystemPrompts {

  private final SkillLoader skills;

  SystemPrompts(SkillLoader skills) {
    this.skills = skills;
  }

  /**
   * Returns the agent's prompt for this task, with its skills as they are now.
   *
   * @param guide what is said of the tools; may be empty
   */
  String of(AgentDefinition agent, String task, String guide) {
    var prompt = new StringBuilder(agent.promptFor(task));
    agent.terms().skills().forEach(name -> prompt.append(skill(name)));
    return guide.isEmpty() ? prompt.toString() : prompt + "\n\n" + guide;
  }

  /** A skill that does not exist any more is left out; reading the agent's file has reported it. */
  private String skill(String name) {
    try {
      return "\n\n" + skills.load(name);
    } catch (ToolFailure gone) {
      return "";
    }
  }
}
