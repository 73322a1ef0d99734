package dev.errand.delegate.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import dev.errand.task.TaskSchema;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a line as a command, without access to sessions and skills. */
final class CommandReader {

  private static final Pattern OURS =
      Pattern.compile("\\s*['\"]?(?:task|skill):.*", Pattern.DOTALL);
  private static final String LOAD = "skill:load";
  private static final Map<String, String> MOVED =
      Map.of("skill:search", "task:skill:search", "skill:enhance", "task:skill:enhance");

  private static final int DESCRIPTION_WORDS = 5;
  private static final int MAX_DESCRIPTION_CHARS = 80;

  private CommandReader() {}

  /** Returns whether the line is a command, valid or not. */
  static boolean isOurs(String line) {
    return OURS.matcher(line).matches();
  }

  static ParsedCommand read(String line) {
    try {
      var words = ShellWords.of(line);
      return words.isEmpty()
          ? new ParsedCommand.Wrong("There is no command. " + CommandHelp.known())
          : read(words.getFirst(), words.subList(1, words.size()));
    } catch (ShellWords.UnreadableLine unreadable) {
      return new ParsedCommand.Wrong(
          "The command cannot be read: " + unreadable.getMessage() + ".");
    }
  }

  private static ParsedCommand read(String name, List<String> rest) {
    if (name.equals(LOAD)) {
      return load(rest);
    }
    if (MOVED.containsKey(name)) {
      var now = MOVED.get(name);
      return new ParsedCommand.Wrong(
          "%s is called %s now: %s --prompt \"…\"".formatted(name, now, now));
    }
    return TaskCommand.of(name)
        .map(command -> delegate(command, rest))
        .orElseGet(() ->
            new ParsedCommand.Wrong(
                "There is no command %s. %s".formatted(name, CommandHelp.known())));
  }

  private static ParsedCommand load(List<String> rest) {
    if (rest.contains("--help")) {
      return new ParsedCommand.Help(CommandHelp.load());
    }
    return rest.size() == 1 && !rest.getFirst().startsWith("-") && !rest.getFirst().isBlank()
        ? new ParsedCommand.LoadSkill(rest.getFirst())
        : new ParsedCommand.Wrong("skill:load takes one key. " + CommandHelp.load());
  }

  private static ParsedCommand delegate(TaskCommand command, List<String> rest) {
    if (rest.contains("--help") || rest.contains("-h")) {
      return new ParsedCommand.Help(CommandHelp.of(command));
    }
    var options = new CommandOptions(command);
    var malformed = options.take(rest);
    var source = options.remove("session");
    var fields = completed(options.fields(), command);
    return malformed
        .or(() -> problem(fields))
        .<ParsedCommand>map(sentence ->
            new ParsedCommand.Wrong(
                "%s: %s.%n%s".formatted(command.word(), sentence, CommandHelp.of(command))))
        .orElseGet(() -> new ParsedCommand.Delegate(command, fields, source));
  }

  /** Adds what the command stands for, and the defaults of what the line leaves out. */
  private static ObjectNode completed(ObjectNode fields, TaskCommand command) {
    if (!fields.has("description")) {
      fields.put("description", firstWords(fields.path("prompt").asText()));
    }
    if (!fields.has("background")) {
      fields.put("background", false);
    }
    return fields.put("subagent_type", command.agent()).put("command", command.word());
  }

  private static Optional<String> problem(ObjectNode fields) {
    if (!fields.has("prompt")) {
      return Optional.of("--prompt is missing");
    }
    var problems = TaskSchema.problems(fields);
    return problems.isEmpty()
        ? Optional.empty()
        : Optional.of(
            problems.stream()
                .map(problem -> CommandOptions.name(problem.field()) + " " + problem.message())
                .collect(Collectors.joining("; ")));
  }

  private static String firstWords(String prompt) {
    var line = prompt.strip().lines().findFirst().orElse("");
    return TextCut.firstWords(line, DESCRIPTION_WORDS, MAX_DESCRIPTION_CHARS);
  }

  /** The meaning of a command line. */
  sealed interface ParsedCommand {

    /**
     * A delegation.
     *
     * @param fields those of the {@code task} tool that the line gives
     * @param source the session to learn from, as the line names it; null means the caller's own
     */
    record Delegate(TaskCommand command, ObjectNode fields, @Nullable String source)
        implements ParsedCommand {}

    /** The command {@code skill:load}. */
    record LoadSkill(String key) implements ParsedCommand {}

    /** A request for help. */
    record Help(String text) implements ParsedCommand {}

    /** An invalid line, with the text that says what is valid. */
    record Wrong(String text) implements ParsedCommand {}
  }
}
