package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.skill.SkillLoader;
import jakarta.inject.Singleton;

/** System prompts: the agent's prompt, and the skills that its definition names. */
@Singleton
class SystemPrompts {

  private final SkillLoader skills;

  SystemPrompts(SkillLoader skills) {
    this.skills = skills;
  }

  /** The agent's prompt for this task, with its skills as they are now. */
  String of(AgentDefinition agent, String task) {
    var prompt = new StringBuilder(agent.promptFor(task));
    agent.terms().skills().forEach(name -> prompt.append(skill(name)));
    return prompt.toString();
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
