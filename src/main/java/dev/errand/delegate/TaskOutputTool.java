package dev.errand.delegate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.postgres.Json;
import dev.errand.session.Lease;
import dev.errand.task.ResultReads;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStore;
import dev.errand.task.TaskWaiters;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tool {@code task_output}: returns a task's result, or that it still runs. A result that was
 * read this way is not announced, unless a turn has read the notice before.
 */
@Singleton
class TaskOutputTool implements UninterruptibleTool {

  private static final long MAX_WAIT_MS = 60_000;

  /** The parameters that the tool takes under its other name, {@code TaskOutput}. */
  private static final String BLOCK = "block";

  private static final String TIMEOUT = "timeout";
  private static final long BLOCK_MS = 30_000;

  private static final String NOT_BEGUN =
      "\n\nThe task has not begun, because all runs are in use and this session uses one of them. End"
          + " your turn; you get a notice when the task has ended.";

  private final OwnTasks own;
  private final TaskStore tasks;
  private final TaskWaiters waits;
  private final ResultReads reads;
  private final Json json;

  TaskOutputTool(OwnTasks own, TaskStore tasks, TaskWaiters waits, ResultReads reads, Json json) {
    this.own = own;
    this.tasks = tasks;
    this.waits = waits;
    this.reads = reads;
    this.json = json;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "task_output",
        "Read task result",
        "Returns the result of one of your background tasks, or reports that it still runs. Not"
            + " needed for tasks whose notice you will get anyway.",
        OwnTasks.schema()
            .integer("wait_ms", "Milliseconds to wait for the end. Default 0.", 0, MAX_WAIT_MS)
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public List<String> otherNames() {
    return List.of("TaskOutput");
  }

  /**
   * Translates {@code block}: {@code block: true} waits for {@code timeout} ms, {@code block:
   * false} does not wait.
   */
  @Override
  public void canonicalize(ObjectNode arguments) {
    var block = arguments.remove(BLOCK);
    var timeout = arguments.remove(TIMEOUT);
    if (isAbsent(block) && isAbsent(timeout)) {
      return;
    }
    if (arguments.hasNonNull("wait_ms")) {
      throw new ToolFailure("Give either wait_ms, or block and timeout.");
    }
    if (!isAbsent(block) && !block.isBoolean()) {
      throw new ToolFailure("Invalid arguments for task_output: block: must be true or false");
    }
    if (!isAbsent(timeout) && (!timeout.isIntegralNumber() || timeout.asLong() < 0)) {
      throw new ToolFailure(
          "Invalid arguments for task_output: timeout: must be a whole number of milliseconds");
    }
    var wait = isAbsent(timeout) ? BLOCK_MS : Math.min(timeout.asLong(), MAX_WAIT_MS);
    arguments.put("wait_ms", isAbsent(block) || block.asBoolean() ? wait : 0);
  }

  private static boolean isAbsent(@Nullable JsonNode value) {
    return value == null || value.isNull();
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var id = arguments.get("task_id").asText();
    var wait = Duration.ofMillis(arguments.path("wait_ms").asLong());
    var task = own.find(context.session(), id);
    if (task.isEmpty()) {
      return ToolOutcome.error(OwnTasks.unknown(id));
    }
    var lease = new Lease(context.session(), context.epoch());
    var waitsForRun = task.get().state() == TaskState.PENDING && tasks.waitsForRun(task.get().id());
    if (task.get().outcome().isEmpty() && !wait.isZero() && !waitsForRun) {
      waits.awaitEnd(task.get().id(), lease, wait);
    }
    var now = tasks.find(task.get().id()).orElseGet(task::get);
    reads.byOwner(now, lease);
    var shown = json.write(TaskOutputView.of(now).quoted());
    return ToolOutcome.ok(waitsForRun ? shown + NOT_BEGUN : shown);
  }
}
