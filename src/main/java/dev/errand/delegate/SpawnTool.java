package dev.errand.delegate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.AgentDefinition;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.task.Delegations;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskKind;
import dev.errand.task.TaskRequest;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskSubmission;
import dev.errand.task.notice.AnswerText;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.util.List;

/**
 * The tool {@code spawn}: starts a {@code general} subagent in the background; its result comes
 * with the request to tell the user. A repeated call finds the task of the first one.
 */
@Singleton
class SpawnTool implements UninterruptibleTool {

  private static final int LABEL_WORDS = 5;
  private static final int MAX_LABEL_CHARS = 80;

  private final Delegations delegations;

  SpawnTool(Delegations delegations) {
    this.delegations = delegations;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "spawn",
        "Start background task",
        """
        Starts a subagent that does a task in the background while you continue the conversation. Use it for work that takes long and can \
        be done without you. You will get its result when it is done, to tell the user in your own words.\
        """,
        TaskSchema.addTo(
            ParameterSchema.object()
                .string(
                    "task",
                    "The whole task. The subagent sees nothing else: name files, facts and the"
                        + " answer wanted.")
                .maxLength(TaskSchema.MAX_PROMPT_BYTES)
                .required()
                .string("label", "A short name for people. Default: the task's first words.")
                .maxLength(TaskSchema.MAX_NAME)
                .build(),
            "priority",
            "timeout_ms",
            "model",
            "isolation",
            "permissions"));
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public String subject(ObjectNode arguments) {
    return AgentDefinition.GENERAL;
  }

  /** Renames aliases: models that know {@code task} use its field names. */
  @Override
  public void canonicalize(ObjectNode arguments) {
    if (arguments.has("prompt") && !arguments.has("task")) {
      arguments.set("task", arguments.remove("prompt"));
    }
    if (arguments.has("timeout") && !arguments.has("timeout_ms")) {
      arguments.set("timeout_ms", arguments.remove("timeout"));
    }
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var task = arguments.get("task").asText();
    var label =
        arguments.path("label").asText(TextCut.firstWords(task, LABEL_WORDS, MAX_LABEL_CHARS));
    var request = arguments.deepCopy();
    request.remove("task");
    request.put("prompt", task).put("label", label).put("description", label);
    request.put("subagent_type", AgentDefinition.GENERAL).put("background", true);
    return switch (delegations.submit(submission(TaskSchema.read(request), context))) {
      case SubmitResult.Refused refused -> ToolOutcome.error("Not started: " + refused.sentence());
      case SubmitResult.Accepted accepted -> ToolOutcome.ok(AnswerText.spawned(accepted.task()));
    };
  }

  private static TaskSubmission submission(TaskRequest request, ToolContext context) {
    return new TaskSubmission(
        new TaskSubmission.Parent.Existing(context.session()),
        new TaskCaller.ParentCall(context.toolCallId(), context.epoch()),
        request,
        TaskKind.SPAWN,
        false,
        List.of());
  }
}
