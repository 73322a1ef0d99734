package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.skill.SkillLoader;
import jakarta.enterprise.context.ApplicationScoped;

/** What a model is told it is: the agent's prompt, and the skills its definition names (G3). */
@ApplicationScoped
class SystemPrompts {

  private final SkillLoader skills;

  SystemPrompts(SkillLoader skills) {
    this.skills = skills;
  }

  /** The agent's prompt about this task, with its skills as they are now. */
  String of(AgentDefinition agent, String task) {
    var prompt = new StringBuilder(agent.promptFor(task));
    agent.terms().skills().forEach(name -> prompt.append(skill(name)));
    return prompt.toString();
  }

  /** One that is gone is left out; the reading of the agent's file has told of it. */
  private String skill(String name) {
    try {
      return "\n\n" + skills.load(name);
    } catch (ToolFailure gone) {
      return "";
    }
  }
}
