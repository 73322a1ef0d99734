package dev.errand.hook;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.TextCut;
import dev.errand.hook.ToolHooks.HookedCall;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.Delivery;
import dev.errand.postgres.Json;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The JSON that hooks get. Secrets are masked. Hooks of agent files get the fields of Claude Code,
 * too, so that programs made for it find theirs.
 */
@Singleton
class HookPayload {

  private static final int MAX_RESULT_CHARS = 30_000;

  private final ObjectMapper mapper;
  private final Json json;
  private final Clock clock;

  HookPayload(ObjectMapper mapper, Json json, Clock clock) {
    this.mapper = mapper;
    this.json = json;
    this.clock = clock;
  }

  /**
   * @param result null before the call
   */
  record ToolEvent(
      HookedCall call, CalledTool tool, ObjectNode arguments, @Nullable HookedResult result) {}

  record HookedResult(String text, boolean isError) {

    /** Masked before the cut, which could leave a part of a secret. */
    HookedResult {
      text = TextCut.withEllipsis(Secrets.masked(text), MAX_RESULT_CHARS);
    }
  }

  /** An event of a task or a session, as it is stored. */
  @JsonInclude(Include.NON_NULL)
  record StoredHookEvent(
      String event,
      SessionId sessionId,
      @Nullable TaskId taskId,
      String agent,
      @Nullable JsonNode task,
      @Nullable JsonNode error) {}

  /**
   * Returns an id that is the same when a run is repeated after a crash, so that a hook can
   * recognise the repetition.
   */
  static String id(Hook hook, HookEvent kind, ToolEvent event) {
    var context = event.call().context();
    var name =
        String.join(
            " ",
            hook.name(),
            kind.word(),
            context.session().toString(),
            context.toolCallId(),
            event.tool().name());
    return id(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  static String id(UUID row) {
    return "hook_" + row.toString().replace("-", "");
  }

  String of(Hook hook, HookEvent kind, String id, ToolEvent event) {
    var call = event.call();
    var context = call.context();
    var root = head(id, kind.word(), clock.instant());
    root.put("session_id", context.session().toString());
    var task = call.task();
    root.put("task_id", task == null ? null : task.toString());
    root.put("agent", context.agent());
    var tool = root.putObject("tool");
    tool.put("name", event.tool().name());
    tool.set("arguments", event.arguments());
    tool.put("call_id", call.call().id());
    var result = event.result();
    if (result != null) {
      tool.put("result", result.text());
      tool.put("is_error", result.isError());
    }
    if (hook.isOfAgentFile()) {
      root.put("hook_event_name", result == null ? "PreToolUse" : "PostToolUse");
      root.put("cwd", context.workspace().toString());
      root.put("tool_name", event.tool().claudeName());
      root.set("tool_input", event.arguments());
      root.put("tool_use_id", call.call().id());
      if (result != null) {
        root.putObject("tool_response")
            .put("content", result.text())
            .put("is_error", result.isError());
      }
    }
    return json.write(root);
  }

  /** Returns the event of an outbox row, as it is stored. */
  ObjectNode stored(ClaimedDelivery row) {
    return json.readPlain(Objects.requireNonNull(row.event()), ObjectNode.class);
  }

  /** Returns what a hook gets about the event of an outbox row. */
  String of(Hook hook, Delivery row, ObjectNode stored) {
    var event = stored.path("event").asText();
    var root = head(id(row.id()), event, row.owedSince());
    root.setAll(stored);
    if (hook.isOfAgentFile()) {
      var ended = event.equals(HookEvent.TASK_ENDED.word());
      root.put("hook_event_name", ended ? "SubagentStop" : "SubagentStart");
      root.set("agent_id", root.path("session_id"));
      root.set("agent_type", root.path("agent"));
      if (ended) {
        root.put("stop_hook_active", false);
        root.put("last_assistant_message", root.at("/task/result").asText(""));
      }
    }
    return json.write(root);
  }

  private ObjectNode head(String id, String event, Instant time) {
    return mapper.createObjectNode().put("id", id).put("event", event).put("time", time.toString());
  }
}
