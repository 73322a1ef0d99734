package dev.errand.delegate.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.conversation.ToolEffect;
import dev.errand.delegate.command.CommandReader.ParsedCommand;
import dev.errand.delegate.command.CommandRunner.CommandCall;
import dev.errand.delegate.command.CommandRunner.CommandOutcome;
import dev.errand.permission.Permissions;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
import dev.errand.task.notice.AnswerText;
import dev.errand.tenant.Tenant;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.shell.ShellCommand;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Commands that a model calls through {@code bash}. One that delegates in the foreground is
 * answered like a {@code task} call when the task has ended; a repeated call finds the task of the
 * first one.
 */
@Singleton
class CommandRouter implements ShellCommand {

  private final Agents agents;
  private final CommandRunner runner;

  CommandRouter(Agents agents, CommandRunner runner) {
    this.agents = agents;
    this.runner = runner;
  }

  @Override
  public boolean handles(String command) {
    return CommandReader.isOurs(command);
  }

  @Override
  public ToolEffect effect(String command) {
    return ToolEffect.CHECKED;
  }

  @Override
  public Optional<Tool.Equivalent> equivalent(String command) {
    return switch (CommandReader.read(command)) {
      case ParsedCommand.Delegate delegate ->
          Optional.of(new Tool.Equivalent("task", delegate.fields()));
      case ParsedCommand.LoadSkill(var key) ->
          Optional.of(
              new Tool.Equivalent("skill", JsonNodeFactory.instance.objectNode().put("name", key)));
      case ParsedCommand.Help _, ParsedCommand.Wrong _ -> Optional.empty();
    };
  }

  /**
   * {@code skill:load} by itself does not make a shell useful: the tool {@code skill} does the
   * same.
   */
  @Override
  public boolean isUsable(Permissions permissions) {
    return !usable(permissions).isEmpty();
  }

  private List<TaskCommand> usable(Permissions permissions) {
    var delegable =
        agents.of(Tenant.DEFAULT).delegableBy(ToolContext.NO_AGENT, permissions).stream()
            .map(AgentDefinition::name)
            .collect(Collectors.toSet());
    return Arrays.stream(TaskCommand.values())
        .filter(command -> delegable.contains(command.agent()))
        .toList();
  }

  @Override
  public Optional<String> help(Permissions permissions) {
    var commands = usable(permissions);
    return commands.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Commands of the service, each alone on its line:\n"
                + CommandHelp.of(commands, permissions.mayEverAllow("skill")));
  }

  @Override
  public ToolOutcome run(String command, ToolContext context) {
    var call = new TaskCaller.ParentCall(context.toolCallId(), context.epoch());
    return switch (runner.run(new CommandCall(context.session(), command, call, _ -> true))) {
      case CommandOutcome.Output output -> ToolOutcome.ok(output.text());
      case CommandOutcome.Loaded loaded -> ToolOutcome.ok(loaded.text());
      case CommandOutcome.InvalidCommand refused -> ToolOutcome.error(refused.text());
      case CommandOutcome.Submitted submitted -> answer(submitted.submission());
    };
  }

  private static ToolOutcome answer(SubmitResult submission) {
    return switch (submission) {
      case SubmitResult.Refused refused ->
          ToolOutcome.error("Not delegated. " + refused.sentence());
      case SubmitResult.Accepted accepted ->
          accepted.task().background()
              ? ToolOutcome.ok(AnswerText.accepted(accepted))
              : new ToolOutcome.Deferred();
    };
  }
}
