package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.http.Refusal;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ToolFailure;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Answers calls: each method of the protocol, and each tool. */
@Singleton
class Methods {

  private final ServedTools tools;
  private final TaskCalls calls;
  private final TaskReads reads;
  private final TaskStates states;
  private final ToolResults results;
  private final Documents documents;
  private final McpServerConfig config;

  Methods(
      ServedTools tools,
      TaskCalls calls,
      TaskReads reads,
      TaskStates states,
      ToolResults results,
      Documents documents,
      McpServerConfig config) {
    this.tools = tools;
    this.calls = calls;
    this.reads = reads;
    this.states = states;
    this.results = results;
    this.documents = documents;
    this.config = config;
  }

  /**
   * Answers a call.
   *
   * @param wait how long a call of {@code task} waits; null for the default
   * @throws Fault a parameter is wrong
   */
  Reply answer(McpCall call, @Nullable Duration wait) {
    return switch (call.method()) {
      case Protocol.DISCOVER -> Reply.Result.of(tools.discovered());
      case Protocol.INITIALIZE -> Reply.Result.of(initialized(call));
      case Protocol.PING -> Reply.Result.of(JsonNodeFactory.instance.objectNode());
      case Protocol.LIST_TOOLS -> list(call);
      case Protocol.CALL_TOOL -> callTool(call, wait);
      case Protocol.GET_TASK -> reads.get(call);
      case Protocol.CANCEL_TASK -> reads.cancel(call);
      case Protocol.UPDATE_TASK -> reads.update(call);
      default -> throw Fault.unknownMethod(call.method(), call.modern());
    };
  }

  private ObjectNode initialized(McpCall call) {
    var wanted =
        call.text("protocolVersion")
            .orElseThrow(() -> Fault.invalidParams("protocolVersion: must be a text"));
    var served = Protocol.LEGACY.contains(wanted) ? wanted : Protocol.LEGACY.getFirst();
    var result = JsonNodeFactory.instance.objectNode().put("protocolVersion", served);
    result.putObject("capabilities").putObject("tools");
    result.set("serverInfo", documents.serverInfo());
    return result.put("instructions", tools.instructions());
  }

  private Reply list(McpCall call) {
    if (call.params().hasNonNull("cursor")) {
      throw Fault.invalidParams("cursor: is unknown; all tools are on one page");
    }
    return Reply.Result.of(tools.list(call.modern()));
  }

  private Reply callTool(McpCall call, @Nullable Duration wait) {
    var name = call.text("name").orElseThrow(() -> Fault.invalidParams("name: must be a text"));
    var arguments = arguments(call.params().path("arguments"));
    try {
      return switch (name) {
        case "task" -> task(call, arguments, wait);
        case "task_output" -> reads.output(arguments);
        case "task_cancel" -> reads.cancel(arguments);
        case "task_list" -> reads.list(call, arguments);
        default -> throw Fault.invalidParams("Unknown tool: " + name);
      };
    } catch (ToolFailure failure) {
      return Reply.Result.of(ToolResults.text(failure.getMessage(), true));
    } catch (Refusal refused) {
      return Reply.Result.of(ToolResults.text(text(refused), true));
    }
  }

  private static String text(Refusal refused) {
    var problems =
        refused.errors().stream().map(FieldProblem::toString).collect(Collectors.joining("; "));
    return problems.isEmpty() ? String.valueOf(refused.getMessage()) : problems;
  }

  private static ObjectNode arguments(JsonNode given) {
    if (given.isMissingNode() || given.isNull()) {
      return JsonNodeFactory.instance.objectNode();
    }
    if (given instanceof ObjectNode arguments) {
      return arguments;
    }
    throw Fault.invalidParams("arguments: must be an object");
  }

  private Reply task(McpCall call, ObjectNode arguments, @Nullable Duration wait) {
    var accepted = calls.submit(call, arguments);
    var task = accepted.submission().task();
    if (call.tasks()) {
      return Reply.Result.of(states.created(task));
    }
    if (accepted.background()) {
      return Reply.Result.of(results.started(task));
    }
    var made = accepted.submission().repeats() ? null : new Reply.MadeTask(accepted.key());
    return new Reply.OnStream(task, limit(call, wait), made);
  }

  /** A client that wants to hear of the progress waits to the end. */
  private @Nullable Duration limit(McpCall call, @Nullable Duration wait) {
    if (wait != null) {
      return wait;
    }
    return call.progressToken() == null ? config.waitFor() : null;
  }
}
