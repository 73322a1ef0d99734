package dev.errand.delegate.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import dev.errand.delegate.TaskArguments;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a line as a command, without access to sessions and skills. */
@Singleton
class CommandReader {

  private static final Pattern OURS =
      Pattern.compile("\\s*['\"]?(?:task|skill):.*", Pattern.DOTALL);
  private static final String LOAD = "skill:load";
  private static final Map<String, String> MOVED =
      Map.of("skill:search", "task:skill:search", "skill:enhance", "task:skill:enhance");

  private static final int DESCRIPTION_WORDS = 5;
  private static final int MAX_DESCRIPTION_CHARS = 80;

  private final TaskArguments arguments;

  CommandReader(TaskArguments arguments) {
    this.arguments = arguments;
  }

  /** Whether the line is a command, valid or not. */
  static boolean isOurs(String line) {
    return OURS.matcher(line).matches();
  }

  Command read(String line) {
    try {
      var words = ShellWords.of(line);
      return words.isEmpty()
          ? new Command.Wrong("There is no command. " + CommandHelp.known())
          : read(words.getFirst(), words.subList(1, words.size()));
    } catch (ShellWords.Unreadable unreadable) {
      return new Command.Wrong("The command cannot be read: " + unreadable.getMessage() + ".");
    }
  }

  private Command read(String name, List<String> rest) {
    if (name.equals(LOAD)) {
      return load(rest);
    }
    if (MOVED.containsKey(name)) {
      var now = MOVED.get(name);
      return new Command.Wrong("%s is called %s now: %s --prompt \"…\"".formatted(name, now, now));
    }
    return TaskCommand.of(name)
        .map(command -> delegate(command, rest))
        .orElseGet(() ->
            new Command.Wrong("There is no command %s. %s".formatted(name, CommandHelp.known())));
  }

  private static Command load(List<String> rest) {
    if (rest.contains("--help")) {
      return new Command.Help(CommandHelp.load());
    }
    return rest.size() == 1 && !rest.getFirst().startsWith("-") && !rest.getFirst().isBlank()
        ? new Command.Load(rest.getFirst())
        : new Command.Wrong("skill:load takes one key. " + CommandHelp.load());
  }

  private Command delegate(TaskCommand command, List<String> rest) {
    if (rest.contains("--help") || rest.contains("-h")) {
      return new Command.Help(CommandHelp.of(command));
    }
    var options = new CommandOptions(command);
    var problem = options.take(rest).or(() -> problem(command, options));
    return problem
        .<Command>map(sentence ->
            new Command.Wrong(
                "%s: %s.%n%s".formatted(command.word(), sentence, CommandHelp.of(command))))
        .orElseGet(() ->
            new Command.Delegate(command, fields(command, options), options.value("session")));
  }

  private Optional<String> problem(TaskCommand command, CommandOptions options) {
    if (options.value("prompt") == null) {
      return Optional.of("--prompt is missing");
    }
    var problems = arguments.problems(fields(command, options));
    return problems.isEmpty()
        ? Optional.empty()
        : Optional.of(
            problems.stream().map(CommandReader::sentence).collect(Collectors.joining("; ")));
  }

  private static String sentence(FieldProblem problem) {
    return "--" + problem.field().replace('_', '-') + " " + problem.message();
  }

  private static ObjectNode fields(TaskCommand command, CommandOptions options) {
    var prompt = String.valueOf(options.value("prompt"));
    var description = options.value("description");
    var fields =
        JsonNodeFactory.instance
            .objectNode()
            .put("prompt", prompt)
            .put("description", description == null ? firstWords(prompt) : description)
            .put("subagent_type", command.agent())
            .put("command", command.word())
            .put("background", options.background());
    for (var option : List.of("model", "thoroughness")) {
      if (options.value(option) != null) {
        fields.put(option, options.value(option));
      }
    }
    options.maxTurns().ifPresent(turns -> fields.set("max_turns", turns));
    options.permissions().ifPresent(rules -> fields.set("permissions", rules));
    return fields;
  }

  private static String firstWords(String prompt) {
    var line = prompt.strip().lines().findFirst().orElse("");
    return TextCut.firstWords(line, DESCRIPTION_WORDS, MAX_DESCRIPTION_CHARS);
  }

  /** The meaning of a command line. */
  sealed interface Command {

    /**
     * A delegation.
     *
     * @param fields those of the {@code task} tool that the line gives
     * @param source the session to learn from, as the line names it; null means the caller's own
     */
    record Delegate(TaskCommand command, ObjectNode fields, @Nullable String source)
        implements Command {}

    /** {@code skill:load}. */
    record Load(String key) implements Command {}

    /** A request for help. */
    record Help(String text) implements Command {}

    /** An invalid line, with the text that says what is valid. */
    record Wrong(String text) implements Command {}
  }
}
