package dev.errand.tool.skill;

/**
 * A skill as its {@code SKILL.md} says.
 *
 * @param name that of its folder
 * @param description what it is for and when to use it
 * @param body the instructions
 */
public record Skill(String name, String description, String body) {}
