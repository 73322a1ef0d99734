package dev.errand.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.Agents;
import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
import dev.errand.tool.ToolOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.stream.Collectors;

/**
 * The tool {@code task}: delegates to a subagent (D1, D2). A repeated call finds the task that the
 * first one made.
 */
@ApplicationScoped
class TaskTool implements Tool {

  private static final String DESCRIPTION =
      """
      Gives a task to a subagent that works on its own, with a fresh context and its own tools, and reports back once.

      Agents:
      %s

      Use it for work that needs many steps or much reading. Do not use it to read one known file or to search for one \
      known word: do that yourself. Several calls in one message run at the same time. Write the prompt so that it stands \
      alone, and say what the report should hold. The user does not see the report: tell the user what matters in it. To \
      ask the same subagent something further, pass its session_id.\
      """;

  private final Agents agents;
  private final TaskArguments arguments;
  private final TaskSubmitter submitter;

  TaskTool(Agents agents, TaskArguments arguments, TaskSubmitter submitter) {
    this.agents = agents;
    this.arguments = arguments;
    this.submitter = submitter;
  }

  @Override
  public ToolDefinition definition() {
    var known =
        agents.delegable().stream()
            .map(agent -> "- " + agent.name() + ": " + agent.summary())
            .collect(Collectors.joining("\n"));
    return new ToolDefinition("task", DESCRIPTION.formatted(known), arguments.schema());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public boolean interruptible() {
    return false;
  }

  @Override
  public void canonicalize(ObjectNode given) {
    arguments.canonicalize(given);
  }

  @Override
  public ToolOutcome call(ObjectNode given, ToolContext context) {
    var request = arguments.read(given);
    var call = new Delegation.Call(context.toolCallId(), context.epoch());
    var wish =
        new Delegation(
            new Delegation.Parent.Existing(context.session()), request, call, null, Duration.ZERO);
    return switch (submitter.submit(wish)) {
      case Submission.Refused refused -> ToolOutcome.error("Not delegated. " + refused.sentence());
      case Submission.Accepted accepted ->
          request.inBackground()
              ? ToolOutcome.ok(AnswerText.accepted(accepted))
              : new ToolOutcome.Deferred();
    };
  }
}
