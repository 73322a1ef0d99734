package dev.errand.delegate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.Isolation;
import dev.errand.permission.Rule;
import dev.errand.task.TaskRequest;
import dev.errand.task.Thoroughness;
import dev.errand.tool.ArgumentCheck;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ParameterSchema;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;

/** The fields of the tool {@code task}, the same for models that call the tool and for clients. */
@Singleton
public class TaskArguments {

  static final String RULES =
      "Rules that limit what the subagent may do; they never give it more. The last rule that"
          + " matches a call decides, and what no rule matches is not limited.";

  private static final int MAX_TIMEOUT_MS = 86_400_000;
  private static final int MAX_TURNS = 1000;
  private static final int MAX_PRIORITY = 100;

  static final String ISOLATION =
      "worktree: it works in a copy of your workspace, which must be in a git repository, and its"
          + " changes come back as a patch. shared: it works in your workspace. Default: the"
          + " agent's, else shared.";

  private static final Map<String, String> ALIASES =
      Map.of(
          "run_in_background", "background",
          "resume", "session_id",
          "task_id", "session_id",
          "agent", "subagent_type",
          "subagent", "subagent_type",
          "timeout", "timeout_ms");

  private static final List<String> ONLY_IN_BODIES = List.of("parent_session_id", "callback");

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final ArgumentCheck check = new ArgumentCheck(schema());
  private final ArgumentCheck checkOfBodies = new ArgumentCheck(schemaOfBodies());

  ObjectNode schema() {
    return ParameterSchema.object()
        .string("description", "What the task is, in 3 to 5 words.")
        .maxLength(TaskRequest.MAX_DESCRIPTION)
        .required()
        .string(
            "prompt",
            "The whole task. The subagent sees nothing else: name files, facts and the answer"
                + " wanted.")
        .maxLength(TaskRequest.MAX_PROMPT_BYTES)
        .required()
        .string("subagent_type", "The agent that does it. Default general.")
        .maxLength(TaskRequest.MAX_NAME)
        .bool(
            "background",
            "true: answer at once, the result comes later as a notice. false (default): wait for"
                + " the result.")
        .string(
            "session_id",
            "Continue this child instead of starting a new one: its session id or its task id. It"
                + " keeps its model unless you give one.")
        .maxLength(TaskRequest.MAX_NAME)
        .string("command", "The command that made you delegate, for the record.")
        .maxLength(TaskRequest.MAX_DESCRIPTION)
        .integer(
            "timeout_ms",
            "Milliseconds that it may run. Default: the agent's definition.",
            1,
            MAX_TIMEOUT_MS)
        .enumeration(
            "cleanup",
            "Whether the child's transcript is kept after its result was read. Default keep.",
            List.of("keep", "delete"))
        .string(
            "model",
            "provider:name of the model to use, an alias, or inherit for yours. Default: the"
                + " agent's, else yours.")
        .maxLength(TaskRequest.MAX_MODEL)
        .integer("max_turns", "The number of model calls before it must sum up.", 1, MAX_TURNS)
        .string("label", "A short name for people.")
        .maxLength(TaskRequest.MAX_NAME)
        .integer("priority", "Higher runs first. Default 0.", -MAX_PRIORITY, MAX_PRIORITY)
        .enumeration("isolation", ISOLATION, Isolation.WORDS)
        .enumeration(
            "thoroughness",
            "Only for explore: how far it goes. Default: as far as max_turns allows.",
            Thoroughness.words())
        .objects("permissions", RULES, rule())
        .maxItems(TaskRequest.MAX_RULES)
        .build();
  }

  /** The schema of one permission rule. */
  static ParameterSchema rule() {
    return ParameterSchema.object()
        .string("permission", "A tool or a group of tools; * stands for any characters.")
        .maxLength(Rule.MAX_PERMISSION)
        .required()
        .text("pattern", "What the call acts on: a path, an agent, a command, a host; * for all.")
        .maxLength(Rule.MAX_PATTERN)
        .required()
        .enumeration("action", "What the rule does.", List.of("allow", "deny"))
        .required();
  }

  /** Adds fields of {@code task} to the schema of another tool. */
  ObjectNode addTo(ObjectNode schema, String... fields) {
    var own = schema().withObject("/properties");
    for (var field : fields) {
      schema.withObject("/properties").set(field, own.get(field));
    }
    return schema;
  }

  /**
   * Renames the field names of other products; a field that is given under both names keeps its
   * own.
   */
  public void canonicalize(ObjectNode arguments) {
    ALIASES.forEach((alias, name) -> {
      if (arguments.has(alias) && !arguments.has(name)) {
        arguments.set(name, arguments.remove(alias));
      }
    });
  }

  /** The problems of canonical arguments; empty when they fit the schema. */
  public List<FieldProblem> problems(ObjectNode arguments) {
    return check.problems(arguments);
  }

  /**
   * The same for what is left of a body of {@code POST /v1/tasks} without the fields that a tool
   * call does not have. A message that lists the known fields names these, too.
   */
  public List<FieldProblem> problemsOfBody(ObjectNode fields) {
    return checkOfBodies.problems(fields);
  }

  private ObjectNode schemaOfBodies() {
    var schema = schema();
    ONLY_IN_BODIES.forEach(schema.withObject("/properties")::putObject);
    return schema;
  }

  /** Reads canonical arguments that have no problems. */
  public TaskRequest read(ObjectNode arguments) {
    try {
      return JSON.treeToValue(arguments, TaskRequest.class);
    } catch (JsonProcessingException fault) {
      throw new IllegalArgumentException("arguments that fit the schema could not be read", fault);
    }
  }
}
