package dev.errand.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.Isolation;
import dev.errand.conversation.Word;
import dev.errand.permission.Rule;
import dev.errand.tool.ArgumentCheck;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ParameterSchema;
import java.util.List;
import java.util.Map;

/**
 * The fields of a task: the JSON Schema of the tool {@code task}, by which the arguments of tools,
 * the bodies of requests and the options of commands are checked and read.
 */
public final class TaskSchema {

  /** Characters of a name, or of an id that a caller gives. */
  public static final int MAX_NAME = 100;

  /** In UTF-8; the schema can only limit characters, so the submission checks the bytes. */
  public static final int MAX_PROMPT_BYTES = 256 * 1024;

  private static final int MAX_SENTENCE = 500;
  private static final int MAX_MODEL = 200;
  private static final int MAX_RULES = 100;
  private static final int MAX_TIMEOUT_MS = 86_400_000;
  private static final int MAX_TURNS = 1000;
  private static final int MAX_PRIORITY = 100;

  private static final String RULES =
      "Rules that limit what the subagent may do; they never give it more. The last rule that"
          + " matches a call decides, and what no rule matches is not limited.";

  private static final String ISOLATION =
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

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final ArgumentCheck CHECK = new ArgumentCheck(schema());

  private TaskSchema() {}

  /** Returns a new copy on every call. */
  public static ObjectNode schema() {
    return ParameterSchema.object()
        .string("description", "What the task is, in 3 to 5 words.")
        .maxLength(MAX_SENTENCE)
        .required()
        .string(
            "prompt",
            "The whole task. The subagent sees nothing else: name files, facts and the answer"
                + " wanted.")
        .maxLength(MAX_PROMPT_BYTES)
        .required()
        .string("subagent_type", "The agent that does it. Default general.")
        .maxLength(MAX_NAME)
        .bool(
            "background",
            "true: answer at once, the result comes later as a notice. false (default): wait for"
                + " the result.")
        .string(
            "session_id",
            "Continue this child instead of starting a new one: its session id or its task id. It"
                + " keeps its model unless you give one.")
        .maxLength(MAX_NAME)
        .string("command", "The command that made you delegate, for the record.")
        .maxLength(MAX_SENTENCE)
        .integer(
            "timeout_ms",
            "Milliseconds that it may run. Default: the agent's definition.",
            1,
            MAX_TIMEOUT_MS)
        .enumeration(
            "cleanup",
            "Whether the child's transcript is kept after its result was read. Default keep.",
            Word.words(CleanupPolicy.class))
        .string(
            "model",
            "provider:name of the model to use, an alias, or inherit for yours. Default: the"
                + " agent's, else yours.")
        .maxLength(MAX_MODEL)
        .integer("max_turns", "The number of model calls before it must sum up.", 1, MAX_TURNS)
        .string("label", "A short name for people.")
        .maxLength(MAX_NAME)
        .integer("priority", "Higher runs first. Default 0.", -MAX_PRIORITY, MAX_PRIORITY)
        .enumeration("isolation", ISOLATION, Word.words(Isolation.class))
        .enumeration(
            "thoroughness",
            "Only for explore: how far it goes. Default: as far as max_turns allows.",
            Word.words(Thoroughness.class))
        .objects("permissions", RULES, rule())
        .maxItems(MAX_RULES)
        .build();
  }

  private static ParameterSchema rule() {
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
  public static ObjectNode addTo(ObjectNode schema, String... fields) {
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
  public static void canonicalize(ObjectNode fields) {
    ALIASES.forEach((alias, name) -> {
      if (fields.has(alias) && !fields.has(name)) {
        fields.set(name, fields.remove(alias));
      }
    });
  }

  /** Returns the problems of canonical fields without nulls; empty when they fit the schema. */
  public static List<FieldProblem> problems(ObjectNode fields) {
    return CHECK.problems(fields);
  }

  /** Reads fields that have no problems. */
  public static TaskRequest read(ObjectNode fields) {
    try {
      return JSON.treeToValue(fields, TaskRequest.class);
    } catch (JsonProcessingException fault) {
      throw new IllegalArgumentException("fields that fit the schema could not be read", fault);
    }
  }
}
