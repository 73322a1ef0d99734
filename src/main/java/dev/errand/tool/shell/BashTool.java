package dev.errand.tool.shell;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.Tool.Equivalent;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.ToolUser;
import dev.errand.tool.shell.RunningCommand.ShellRequest;
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
 * command as the model wrote it. A pattern such as {@code git *} also matches {@code git status; rm
 * -rf .}: patterns guide a model, and the sandbox protects the machine.
 */
@Singleton
final class BashTool implements Tool {

  /** Commands of the service may be longer than those of the shell. */
  private static final int MAX_COMMAND_CHARS = 300_000;

  private static final int MAX_DESCRIPTION_CHARS = 500;
  private static final int MAX_COMMAND_BYTES = 100_000; // Linux accepts 128 KiB in one argument

  private static final String NO_SHELL =
      "There is no shell here. This tool accepts only the commands of the service that its parameter names.";

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
    return definition(List.of(), Permissions.ALL);
  }

  /** Adds the help of the service's own commands that these permissions allow. */
  @Override
  public Optional<ToolDefinition> definitionFor(Permissions permissions, ToolUser user) {
    return Optional.of(definition(helps(permissions).toList(), permissions));
  }

  private ToolDefinition definition(List<String> helps, Permissions permissions) {
    var description =
        refusal(permissions).isEmpty() || helps.isEmpty()
            ? shellDescription(permissions)
            : NO_SHELL;
    return new ToolDefinition("bash", "Run command", description, schema(helps));
  }

  private Stream<String> helps(Permissions permissions) {
    return commands.stream().flatMap(command -> command.help(permissions).stream());
  }

  /** Returns why this caller can run no command, as a text for the model; empty if it can. */
  private Optional<String> refusal(Permissions permissions) {
    return permissions.allowCommandsToChangeFiles() ? shell.refusal() : shell.readOnlyRefusal();
  }

  private String shellDescription(Permissions permissions) {
    return """
    Runs a shell command in the workspace and returns its output (standard output and standard \
    error together) and its exit code; the middle of long output is left out. Standard input is \
    empty. Each call starts a new shell in the workspace, and %s. Processes that still run in the \
    background when the command ends are killed.%s To read and search files, prefer read and grep.\
    """
        .formatted(
            permissions.allowCommandsToChangeFiles()
                ? "only files in the workspace are kept"
                : "the workspace is read-only: no file is kept",
            config.bashNetwork() ? "" : " The network is not available.");
  }

  private ObjectNode schema(List<String> helps) {
    var command = new ArrayList<>(List.of("The command, for bash -c."));
    command.addAll(helps);
    return ParameterSchema.object()
        .string("command", String.join("\n", command))
        .maxLength(MAX_COMMAND_CHARS)
        .required()
        .text("description", "What the command does, in 5 to 10 words.")
        .maxLength(MAX_DESCRIPTION_CHARS)
        .integer(
            "timeout_ms",
            "Milliseconds until the command is killed; %d if absent."
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
    return serviceCommand(command).map(known -> known.effect(command)).orElse(effect());
  }

  @Override
  public Optional<Equivalent> equivalent(ObjectNode arguments) {
    var command = subject(arguments);
    return serviceCommand(command).flatMap(known -> known.equivalent(command));
  }

  /**
   * Models are not offered a shell that does not run, because they would waste turns on it. The
   * service's own commands need no shell.
   */
  @Override
  public boolean isUsable(Permissions permissions) {
    return refusal(permissions).isEmpty()
        || commands.stream().anyMatch(command -> command.isUsable(permissions));
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
    var known = serviceCommand(command);
    if (known.isPresent()) {
      return uninterrupted(known.get(), command, context);
    }
    var refusal = refusal(context.permissions());
    if (refusal.isPresent()) {
      return ToolOutcome.error(refusal.get());
    }
    if (Guard.bytes(command).length > MAX_COMMAND_BYTES || command.indexOf('\0') >= 0) {
      return ToolOutcome.error(
          "command: must have at most %d bytes and no NUL; write a script and run it instead"
              .formatted(MAX_COMMAND_BYTES));
    }
    var readOnly = !context.permissions().allowCommandsToChangeFiles();
    var request = new ShellRequest(command, context.workspace(), timeout(arguments), readOnly);
    return run(request, context);
  }

  private Optional<ShellCommand> serviceCommand(String command) {
    return commands.stream().filter(known -> known.handles(command)).findFirst();
  }

  /** A command of the service may use the database; an interrupt would break its connection. */
  private static ToolOutcome uninterrupted(
      ShellCommand known, String command, ToolContext context) {
    var outcome = new CompletableFuture<ToolOutcome>();
    Thread.startVirtualThread(() -> {
      try {
        outcome.complete(known.run(command, context));
      } catch (RuntimeException failed) {
        outcome.completeExceptionally(failed);
      }
    });
    try {
      return outcome.join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
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
          output + line + result.status().sentence(), !result.status().isSuccess());
    } catch (IOException failed) {
      return ToolOutcome.error("The command could not be started: " + failed.getMessage());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return ToolOutcome.error(
          "The call was interrupted; the command and all its processes were killed.");
    }
  }
}
