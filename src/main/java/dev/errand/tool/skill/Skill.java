package dev.errand.tool.skill;

import org.jspecify.annotations.Nullable;

/**
 * A skill, as its {@code SKILL.md} defines it.
 *
 * @param name the name of its directory
 * @param description what the skill is for and when to use it
 * @param body the instructions
 * @param writtenIn the session in which an agent wrote it; null if a person did
 */
public record Skill(String name, String description, String body, @Nullable String writtenIn) {

  /** The key in the front matter; only the service sets it. */
  static final String WRITTEN_IN = "written_by_agent_in";
}
