package dev.errand.delegate.command;

import java.util.Arrays;
import java.util.Optional;

/** The commands that delegate. */
enum TaskCommand {
  EXPLORE("task:explore", "explore"),
  GENERAL("task:general", "general"),
  SKILL_SEARCH("task:skill:search", "skill"),
  SKILL_ENHANCE("task:skill:enhance", "skill");

  /** The prefix of all commands of the skill agent. */
  static final String OF_SKILLS = "task:skill:";

  private final String word;
  private final String agent;

  TaskCommand(String word, String agent) {
    this.word = word;
    this.agent = agent;
  }

  static Optional<TaskCommand> of(String word) {
    return Arrays.stream(values()).filter(command -> command.word.equals(word)).findFirst();
  }

  String word() {
    return word;
  }

  String agent() {
    return agent;
  }

  /** Whether the command's agent is one child session that is used again. */
  boolean isOfSkills() {
    return word.startsWith(OF_SKILLS);
  }
}
