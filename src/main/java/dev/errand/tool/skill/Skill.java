package dev.errand.tool.skill;

/**
 * A skill, as its {@code SKILL.md} defines it.
 *
 * @param name the name of its directory
 * @param description what the skill is for and when to use it
 * @param body the instructions
 */
public record Skill(String name, String description, String body) {}
