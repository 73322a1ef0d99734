package dev.errand.delegate.command;

import dev.errand.agent.AgentDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The commands that delegate. */
enum TaskCommand {
  EXPLORE("task:explore", "explore", "permissions", "thoroughness"),
  GENERAL("task:general", AgentDefinition.GENERAL, "permissions"),
  SKILL_SEARCH("task:skill:search", "skill"),
  SKILL_ENHANCE("task:skill:enhance", "skill", "session");

  /** The prefix of all commands of the skill agent. */
  static final String OF_SKILLS = "task:skill:";

  private final String word;
  private final String agent;
  private final List<String> options;

  TaskCommand(String word, String agent, String... options) {
    this.word = word;
    this.agent = agent;
    this.options = List.of(options);
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

  /**
   * Returns the options that it has in addition to those of all commands. The skill agent is
   * continued, and a child that is continued keeps its permissions.
   */
  List<String> options() {
    return options;
  }

  /** Returns whether the command's agent is one child session that is used again. */
  boolean isOfSkills() {
    return word.startsWith(OF_SKILLS);
  }
}
