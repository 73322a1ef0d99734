package dev.errand.delegate.command;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The syntax of commands. */
final class CommandHelp {

  private static final String OPTIONS =
      """
      Options: --prompt "the whole task" (required), --description "3 to 5 words", --model <model>, --max-turns <n>, \
      --background%s. Write an option's value after a blank or '='; quote it as in a shell. Nothing is expanded.\
      """;

  private static final String PERMISSIONS =
      ", --permissions '[{\"permission\": \"bash\", \"pattern\": \"*\", \"action\": \"deny\"}]'";

  private CommandHelp() {}

  static String of(TaskCommand command) {
    return switch (command) {
      case EXPLORE ->
          "task:explore --prompt \"…\": a subagent explores the files and reports.\n"
              + OPTIONS.formatted(PERMISSIONS + ", --thoroughness quick|medium|thorough");
      case GENERAL ->
          "task:general --prompt \"…\": a subagent does a task of several steps.\n"
              + OPTIONS.formatted(PERMISSIONS);
      case SKILL_SEARCH ->
          "task:skill:search --prompt \"…\": the skill agent finds the skills that fit, with reasons.\n"
              + OPTIONS.formatted("");
      case SKILL_ENHANCE ->
          "task:skill:enhance --prompt \"…\": the skill agent writes a new or better skill from a"
              + " session's conversation; a session id as prompt means that session.\n"
              + OPTIONS.formatted(", --session ses_… (default: this session)");
    };
  }

  static String load() {
    return "skill:load <key>: loads a skill; the key is its name, or name/path of one of its"
        + " files.";
  }

  /** Returns one line for each of these commands, then their options. */
  static String of(List<TaskCommand> commands, boolean load) {
    var lines =
        commands.stream()
            .map(command -> "- " + of(command).lines().findFirst().orElse(""))
            .collect(Collectors.joining("\n"));
    return lines
        + (load ? "\n- " + load() : "")
        + "\n"
        + OPTIONS.formatted(
            "; task:explore and task:general also take --permissions <JSON>; task:explore also"
                + " takes --thoroughness quick|medium|thorough; task:skill:enhance also takes"
                + " --session ses_…");
  }

  static String known() {
    return Arrays.stream(TaskCommand.values())
        .map(TaskCommand::word)
        .collect(Collectors.joining(", ", "Commands: ", ", skill:load."));
  }
}
