package dev.errand.delegate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskKind;
import dev.errand.task.TaskRequest;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmitter;
import dev.errand.task.notice.AnswerText;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolEffect;
import dev.errand.tool.ToolOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The tool {@code spawn}: a {@code general} subagent in the background, whose result comes back
 * with the request to tell the user (D7). A repeated call finds the task that the first one made.
 */
@ApplicationScoped
class SpawnTool implements Tool {

  private static final String AGENT = "general";
  private static final int WORDS_OF_A_LABEL = 5;
  private static final int LONGEST_WORD = 30;

  private final TaskSubmitter submitter;

  SpawnTool(TaskSubmitter submitter) {
    this.submitter = submitter;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "spawn",
        """
        Starts a subagent that does a task in the background while you go on talking. Use it for what takes long and can \
        be done without you. You will get its result when it is done, to tell the user in your own words.\
        """,
        ParameterSchema.object()
            .string(
                "task",
                "The whole task. The subagent sees nothing else: name files, facts and the answer wanted.")
            .required()
            .string("label", "A short name for people. Default: the task's first words.")
            .build());
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
  public String subject(ObjectNode arguments) {
    return AGENT;
  }

  /** Models that know {@code task} call it what it is called there. */
  @Override
  public void canonicalize(ObjectNode arguments) {
    if (arguments.has("prompt") && !arguments.has("task")) {
      arguments.set("task", arguments.remove("prompt"));
    }
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var task = arguments.get("task").asText();
    var label = arguments.path("label").asText(firstWords(task));
    return switch (submitter.submit(wish(request(task, label), context))) {
      case SubmitResult.Refused refused -> ToolOutcome.error("Not started: " + refused.sentence());
      case SubmitResult.Accepted accepted -> ToolOutcome.ok(AnswerText.spawned(accepted.task()));
    };
  }

  private static TaskRequest request(String task, String label) {
    return new TaskRequest(
        label, task, AGENT, true, null, null, null, null, null, null, label, null);
  }

  private static TaskSubmission wish(TaskRequest request, ToolContext context) {
    return new TaskSubmission(
        new TaskSubmission.Parent.Existing(context.session()),
        request,
        new TaskSubmission.Call(context.toolCallId(), context.epoch()),
        null,
        Duration.ZERO,
        TaskKind.SPAWN,
        false);
  }

  private static String firstWords(String task) {
    return Arrays.stream(task.strip().split("\\s+"))
        .limit(WORDS_OF_A_LABEL)
        .map(SpawnTool::cut)
        .collect(Collectors.joining(" "));
  }

  private static String cut(String word) {
    return word.codePointCount(0, word.length()) <= LONGEST_WORD
        ? word
        : word.substring(0, word.offsetByCodePoints(0, LONGEST_WORD)) + "…";
  }
}
