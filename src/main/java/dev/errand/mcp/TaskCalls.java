package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.ClientTools;
import dev.errand.http.IdempotencyHeader;
import dev.errand.http.NewRoots;
import dev.errand.http.Refusal;
import dev.errand.task.CleanupPolicy;
import dev.errand.task.ClientTasks;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskKind;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmission.Parent;
import dev.errand.tool.ToolFailure;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tasks of calls of the tool {@code task}. Each call makes a background task, for which
 * the call may wait. A task belongs to the session that the call names, or to a root of its own.
 */
@Singleton
class TaskCalls {

  private static final String TOOL_USE = "claudecode/toolUseId";
  private static final Pattern ID = Pattern.compile("[!-~]{1,255}");
  private static final String CLEANUP = "cleanup";
  private static final String KEPT =
      "cleanup: delete has no effect here: the answer is kept until the task's root session is deleted.";

  private final ClientTools tools;
  private final ClientTasks tasks;
  private final KnownTasks known;
  private final Delegator delegator;
  private final NewRoots roots;

  TaskCalls(
      ClientTools tools, ClientTasks tasks, KnownTasks known, Delegator delegator, NewRoots roots) {
    this.tools = tools;
    this.tasks = tasks;
    this.known = known;
    this.delegator = delegator;
    this.roots = roots;
  }

  /**
   * An accepted call.
   *
   * @param key with which it can be repeated; null without one
   * @param background whether the model wants to continue at once
   */
  record AcceptedCall(
      SubmitResult.Accepted submission, @Nullable IdempotencyKey key, boolean background) {}

  /**
   * Delegates. Idempotent with a key.
   *
   * @throws ToolFailure nothing was accepted
   */
  AcceptedCall submit(McpCall call, ObjectNode given) {
    var key = key(call, given);
    var fields = tools.checked("task", given);
    var background = fields.path("background").asBoolean();
    var result = repeatedOrMade(call, fields.put("background", true), key);
    return switch (result) {
      case SubmitResult.Refused refused -> throw error(refused, call);
      case SubmitResult.Accepted accepted -> new AcceptedCall(accepted, key, background);
    };
  }

  private SubmitResult repeatedOrMade(
      McpCall call, ObjectNode fields, @Nullable IdempotencyKey key) {
    TaskSubmission submission;
    try {
      submission = submission(call, fields, key);
    } catch (Refusal | ToolFailure refused) {
      return Optional.ofNullable(key).flatMap(tasks::repeated).orElseThrow(() -> refused);
    }
    try {
      return tasks.submit(submission);
    } catch (IdempotencyKey.InFlightException busy) {
      throw new ToolFailure(
          "%s: another call with this key has not ended yet; try again in some seconds."
              .formatted(keyName(call)));
    }
  }

  /** The answer may be asked for again, so that the words of the task are kept. */
  private TaskSubmission submission(McpCall call, ObjectNode fields, @Nullable IdempotencyKey key) {
    var cleanup = fields.remove(CLEANUP);
    var isDeleting = cleanup != null && cleanup.asText().equals(CleanupPolicy.DELETE.word());
    var client = new TaskCaller.Client(key, Duration.ZERO, null);
    return new TaskSubmission(
        parent(call, fields.path("session_id")),
        client,
        TaskSchema.read(fields),
        TaskKind.TASK,
        false,
        isDeleting ? List.of(KEPT) : List.of());
  }

  /** A child is continued in the session that it belongs to. */
  private Parent parent(McpCall call, JsonNode continued) {
    return delegator
        .of(call.header(Protocol.SESSION_HEADER))
        .or(() -> parentOf(continued.asText()))
        .<Parent>map(Parent.Existing::new)
        .orElseGet(() -> new Parent.NewRoot(roots.external().temporary()));
  }

  private Optional<SessionId> parentOf(String child) {
    return known.findNamed(child).map(task -> task.parent()).filter(delegator::mayDelegate);
  }

  private static @Nullable IdempotencyKey key(McpCall call, ObjectNode arguments) {
    var header = call.header(Protocol.KEY_HEADER);
    var value = header == null ? toolUse(call) : header;
    return IdempotencyHeader.key(value, IdempotencyKey.KeyScope.MCP, arguments);
  }

  /** Returns the id of the tool use; null when it cannot be a key. */
  private static @Nullable String toolUse(McpCall call) {
    var id = McpCall.meta(call.params()).path(TOOL_USE).asText();
    return ID.matcher(id).matches() ? id : null;
  }

  private static String keyName(McpCall call) {
    return call.header(Protocol.KEY_HEADER) == null
        ? "_meta[\"" + TOOL_USE + "\"]"
        : Protocol.KEY_HEADER;
  }

  private static ToolFailure error(SubmitResult.Refused refused, McpCall call) {
    var quota = refused.quota();
    return new ToolFailure(
        switch (refused.reason()) {
          case KEY_REUSED -> "Not delegated: " + refused.in(keyName(call)).sentence();
          case FULL ->
              "Not delegated: queue full, try again in %d s: %s"
                  .formatted(
                      quota == null ? 1 : Math.max(1, quota.retryAfter().toSeconds()),
                      refused.message());
          case NODE_BUSY ->
              "Not delegated: the service is busy, try again in some seconds: " + refused.message();
          case INVALID, UNKNOWN_PARENT, BUSY, LIMIT -> "Not delegated: " + refused.sentence();
        });
  }
}
