package dev.errand.tool.shell;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import io.quarkus.arc.All;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/**
 * The tool {@code bash}: runs a command in the session's workspace. Its permission subject is the
 * command as the model wrote it; a pattern such as {@code git *} also fits {@code git status; rm
 * -rf .}, so patterns guide a model, and the sandbox is what holds.
 */
@Singleton
final class BashTool implements Tool {

  private static final int MAX_COMMAND_BYTES = 100_000; // Linux takes 128 KiB in one argument

  private static final String NO_SHELL =
      "There is no shell here: this takes the following commands of the service and nothing else.";

  private final ShellConfig config;
  private final Shell shell;
  private final List<ShellCommand> commands;

  BashTool(ShellConfig config, Shell shell, @All List<ShellCommand> commands) {
    this.config = config;
    this.shell = shell;
    this.commands = commands;
  }

  @Override
  public ToolDefinition definition() {
    return definition(List.of());
  }

  /** With what it is told of the service's own commands that it may use. */
  @Override
  public ToolDefinition definition(Permissions permissions) {
    return definition(helps(permissions).toList());
  }

  private ToolDefinition definition(List<String> helps) {
    var about = new ArrayList<String>();
    about.add(shell.refusal().isEmpty() || helps.isEmpty() ? aboutShell() : NO_SHELL);
    about.addAll(helps);
    return new ToolDefinition("bash", String.join("\n\n", about), schema());
  }

  private Stream<String> helps(Permissions permissions) {
    return commands.stream().flatMap(command -> command.help(permissions).stream());
  }

  private String aboutShell() {
    return """
    Runs a shell command in the workspace and returns what it prints, standard output and error \
    together, and its exit code; of long output the middle is left out. Standard input is \
    empty. Only the workspace keeps what was written; each call starts a new shell there. What \
    still runs in the background when the command ends is killed.%s To read and search files, \
    read and grep are better.\
    """
        .formatted(config.bashNetwork() ? "" : " There is no network.");
  }

  private ObjectNode schema() {
    return ParameterSchema.object()
        .string("command", "The command, for bash -c.")
        .required()
        .text("description", "What it does, in 5 to 10 words.")
        .integer(
            "timeout_ms",
            "Milliseconds until it is killed; %d if absent."
                .formatted(config.bashTimeout().toMillis()),
            1,
            config.bashMaxTimeout().toMillis())
        .build();
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.SIDE_EFFECT;
  }

  @Override
  public ToolEffect effect(ObjectNode arguments) {
    var command = subject(arguments);
    return ours(command).map(known -> known.effect(command)).orElse(effect());
  }

  /**
   * Where no shell runs, models are not told of one: they would waste turns on it. The service's
   * own commands need none.
   */
  @Override
  public boolean isOfUse(Permissions permissions) {
    return shell.refusal().isEmpty() || helps(permissions).findAny().isPresent();
  }

  @Override
  public String subject(ObjectNode arguments) {
    return arguments.path("command").asText();
  }

  @Override
  public void canonicalize(ObjectNode arguments) {
    if (arguments.has("timeout") && !arguments.has("timeout_ms")) {
      arguments.set("timeout_ms", arguments.remove("timeout"));
    }
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var command = arguments.path("command").asText();
    var ours = ours(command);
    if (ours.isPresent()) {
      return uninterrupted(ours.get(), command, context);
    }
    if (shell.refusal().isPresent()) {
      return ToolOutcome.error(shell.refusal().get());
    }
    if (Guard.bytes(command).length > MAX_COMMAND_BYTES || command.indexOf('\0') >= 0) {
      return ToolOutcome.error(
          "command: must have at most %d bytes and no NUL; write a script and run that"
              .formatted(MAX_COMMAND_BYTES));
    }
    return run(new ShellRequest(command, context.workspace(), timeout(arguments)), context);
  }

  private Optional<ShellCommand> ours(String command) {
    return commands.stream().filter(known -> known.handles(command)).findFirst();
  }

  /** A command of ours may use the database, and an interrupt would break its connection. */
  private static ToolOutcome uninterrupted(ShellCommand ours, String command, ToolContext context) {
    var outcome = new CompletableFuture<ToolOutcome>();
    Thread.startVirtualThread(() -> {
      try {
        outcome.complete(ours.run(command, context));
      } catch (RuntimeException failed) {
        outcome.completeExceptionally(failed);
      }
    });
    try {
      return outcome.join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException known ? known : failed;
    }
  }

  private Duration timeout(ObjectNode arguments) {
    return Duration.ofMillis(arguments.path("timeout_ms").asLong(config.bashTimeout().toMillis()));
  }

  private ToolOutcome run(ShellRequest request, ToolContext context) {
    try {
      var result = shell.run(request, context.progress());
      var output = result.output().isEmpty() ? "(no output)" : result.output();
      var line = output.endsWith("\n") ? "" : "\n";
      return new ToolOutcome.Done(
          output + line + result.end().sentence(), !result.end().isSuccess());
    } catch (IOException failed) {
      return ToolOutcome.error("The command could not be started: " + failed.getMessage());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return ToolOutcome.error(
          "The call was interrupted; the command and all it had started were killed.");
    }
  }
}
