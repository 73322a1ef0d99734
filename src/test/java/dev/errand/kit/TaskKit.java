package dev.errand.kit;

import static dev.errand.kit.Http.given;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.model.ModelRequest;
import dev.errand.outbox.DeliveryState;
import dev.errand.postgres.SqlErrors;
import dev.errand.session.Session;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.session.Transcript;
import dev.errand.task.Task;
import dev.errand.task.TaskList;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStore;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Acts on the service through HTTP as clients do, and reads the results from the database. Model
 * calls, workers and the relay run in their own threads, so tests wait for results.
 */
@ApplicationScoped
public class TaskKit {

  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final int REPETITIONS = 20;

  /** The errors of a statement that waited for a lock for too long, or in a deadlock. */
  private static final Set<String> LOCKED = Set.of("55P03", "40P01");

  private static final AtomicInteger ROOTS = new AtomicInteger();

  /** Sessions that a worker runs or is about to run. */
  private static final String BUSY =
      """
      select count(*) from session
      where (state = 'queued' and queued_at < now() + interval '1 minute')
        or (state = 'running' and exists (select 1 from node where node.id = node_id))
      """;

  private final ScriptedModel model;
  private final SessionStore sessions;
  private final TaskStore tasks;
  private final TaskList list;
  private final Transcript transcript;
  private final Invariants invariants;
  private final Jdbi jdbi;
  private final Set<SessionId> roots = ConcurrentHashMap.newKeySet();

  TaskKit(
      ScriptedModel model,
      SessionStore sessions,
      TaskStore tasks,
      TaskList list,
      Transcript transcript,
      Invariants invariants,
      Jdbi jdbi) {
    this.model = model;
    this.sessions = sessions;
    this.tasks = tasks;
    this.list = list;
    this.transcript = transcript;
    this.invariants = invariants;
    this.jdbi = jdbi;
  }

  /**
   * Removes the sessions and scripts of the previous test when its last run has ended, which would
   * miss its script, and lets Awaitility check often and wait long enough for a busy machine.
   */
  public void begin() {
    await("the runs of earlier tests end")
        .atMost(TIMEOUT)
        .until(() -> row(BUSY, Integer.class) == 0);
    beginBesideRuns();
  }

  /** Like {@link #begin}, when the sessions that run in the database belong to the test. */
  public void beginBesideRuns() {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
    Awaitility.setDefaultTimeout(TIMEOUT);
    roots.clear();
    model.forget();
  }

  /** Opens a hosted root session with this script for its model; it has no messages yet. */
  public SessionId session(Consumer<Script> script) {
    return session(Map.of(), script);
  }

  /** Like {@link #session(Consumer)}, with more fields of {@code POST /v1/sessions}. */
  public SessionId session(Map<String, ?> fields, Consumer<Script> script) {
    var name = ScriptedModel.PROVIDER + ":root-" + ROOTS.incrementAndGet();
    model.root(name, made(script));
    var body = new HashMap<String, Object>(fields);
    body.put("model", name);
    return open(body);
  }

  /** Opens a hosted root session whose model has no script, for example one of another provider. */
  public SessionId session(Map<String, ?> fields) {
    return open(fields);
  }

  /** Opens a hosted root session with this model. */
  public SessionId sessionOf(String model) {
    return open(Map.of("model", model));
  }

  /** Scripts what a model does in root sessions. */
  public Script model(String name, Consumer<Script> script) {
    var made = made(script);
    model.root(name, made);
    return made;
  }

  /** The script of a root session; tests may add steps. */
  public Script script(SessionId root) {
    return model.root(look(root).model());
  }

  /** Sets what the model of a root session does that another run of the service opened. */
  public void script(SessionId root, Consumer<Script> script) {
    model.root(look(root).model(), made(script));
  }

  /** The requests that the model of a root session has received. */
  public List<ModelRequest> requests(SessionId root) {
    return script(root).requests();
  }

  /** Opens a root session whose loop runs elsewhere. */
  public SessionId externalSession() {
    return externalSession(Map.of());
  }

  /** Opens a root session whose loop runs elsewhere, with these limits. */
  public SessionId limitedSession(Map<String, ?> limits) {
    return open(Map.of("kind", "external", "limits", limits));
  }

  /** Like {@link #externalSession()}, with more fields of {@code POST /v1/sessions}. */
  public SessionId externalSession(Map<String, ?> fields) {
    var body = new HashMap<String, Object>(fields);
    body.put("kind", "external");
    return open(body);
  }

  private SessionId open(Map<String, ?> body) {
    String opened = post("/v1/sessions", body, 201).path("id");
    return watch(SessionId.parse(opened).orElseThrow());
  }

  /** Registers a root session that the test opened itself, so that its invariants are checked. */
  public SessionId watch(SessionId root) {
    roots.add(root);
    return root;
  }

  /** Scripts the child with this prompt. */
  public Script child(String prompt, Consumer<Script> script) {
    var made = made(script);
    model.child(prompt, made);
    return made;
  }

  /** Supplies scripts for children whose prompts have none, a new script per prompt. */
  public void children(Function<String, Script> byPrompt) {
    model.otherChildren(byPrompt);
  }

  private static Script made(Consumer<Script> script) {
    var made = new Script();
    script.accept(made);
    return made;
  }

  private static HttpAnswer post(String path, Map<String, ?> body, int status) {
    return patiently(() -> given().contentType("application/json").body(body).post(path))
        .statusCode(status);
  }

  /** Sends a user message to a session. */
  public void say(SessionId session, String text) {
    post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  /** Posts a task and returns the response. */
  public HttpAnswer post(Map<String, ?> fields) {
    return patiently(() -> given().contentType("application/json").body(fields).post("/v1/tasks"));
  }

  /** Posts a foreground task whose caller does not wait for the end. */
  public HttpAnswer postWithoutWaiting(SessionId parent, String prompt) {
    return given()
        .header("Prefer", "wait=0")
        .contentType("application/json")
        .body(
            Map.of(
                "parent_session_id", parent.toString(), "description", "a task", "prompt", prompt))
        .post("/v1/tasks")
        .then()
        .statusCode(202);
  }

  /**
   * Repeats a request as clients do, while the answer is that others took too long to give way; on
   * a busy machine it may be.
   */
  public static HttpAnswer patiently(Supplier<HttpAnswer> request) {
    var answer = request.get();
    for (int time = 0; time < REPETITIONS && isToBeRepeated(answer); time++) {
      answer = request.get();
    }
    return answer;
  }

  private static boolean isToBeRepeated(HttpAnswer answer) {
    return switch (answer.statusCode()) {
      case 409 -> answer.asString().contains("idempotency key has not ended yet");
      case 503 -> answer.asString().contains("nothing was accepted");
      default -> false;
    };
  }

  /** Submits a background task. */
  public TaskId submit(SessionId parent, String prompt) {
    return submit(parent, prompt, Map.of());
  }

  /** Submits a background task with more fields. */
  public TaskId submit(SessionId parent, String prompt, Map<String, ?> more) {
    var body = new HashMap<String, Object>(more);
    body.put("parent_session_id", parent.toString());
    body.put("description", "a task");
    body.put("prompt", prompt);
    body.put("background", true);
    String accepted = post("/v1/tasks", body, 202).path("metadata.task_id");
    return TaskId.parse(accepted).orElseThrow();
  }

  public void cancel(TaskId task) {
    patiently(() -> given().post("/v1/tasks/{id}/cancel", task)).statusCode(200);
  }

  /**
   * @return how many tasks were cancelled
   */
  public int cancel(SessionId session) {
    return patiently(() -> given().post("/v1/sessions/{id}/cancel", session))
        .statusCode(200)
        .path("cancelled");
  }

  public Session look(SessionId session) {
    return sessions.find(session).orElseThrow();
  }

  public Task look(TaskId task) {
    return tasks.find(task).orElseThrow();
  }

  /** The tasks that a session delegated, oldest first. */
  public List<Task> tasksOf(SessionId parent) {
    return list.delegatedBy(parent, null, Integer.MAX_VALUE).reversed();
  }

  /** Waits until a session has delegated its first task. */
  public TaskId awaitTask(SessionId parent) {
    return await("a task is delegated")
        .until(() -> tasksOf(parent), delegated -> !delegated.isEmpty())
        .getFirst()
        .id();
  }

  /** The child of the first task of a session. */
  public SessionId childOf(SessionId parent) {
    return tasksOf(parent).getFirst().child();
  }

  public List<Message> transcript(SessionId session) {
    return transcript.read(session);
  }

  /**
   * A summary of a transcript, one line per message: {@code user}, {@code notice}, {@code system},
   * {@code assistant}, {@code assistant: task, grep} for a message with tool calls, {@code tool}.
   */
  public List<String> outline(SessionId session) {
    return transcript(session).stream().map(TaskKit::outline).toList();
  }

  private static String outline(Message message) {
    return switch (message.role()) {
      case USER -> message.kind().name().equals("NOTICE") ? "notice" : "user";
      case SYSTEM -> "system";
      case TOOL -> "tool";
      case ASSISTANT ->
          message.toolCalls().isEmpty()
              ? "assistant"
              : "assistant: "
                  + String.join(
                      ", ", message.toolCalls().stream().map(Content.ToolCall::name).toList());
    };
  }

  /** The tool results in a transcript, in order. */
  public List<Content.ToolResult> toolResults(SessionId session) {
    return transcript(session).stream()
        .flatMap(message -> message.content().stream())
        .filter(Content.ToolResult.class::isInstance)
        .map(Content.ToolResult.class::cast)
        .toList();
  }

  public void awaitState(SessionId session, SessionState state) {
    await("session is " + state).until(() -> look(session).state() == state);
  }

  /** Waits until a task has ended. */
  public Task awaitEnd(TaskId task) {
    await("task has ended").until(() -> look(task).outcome().isPresent());
    return look(task);
  }

  /** Waits until the notice or the tool result of a task is in the inbox of the parent. */
  public void awaitDelivery(TaskId task) {
    await("task is delivered")
        .until(() -> look(task).delivery().filter(DeliveryState.DELIVERED::equals).isPresent());
  }

  /** Waits until a task has this state. */
  public void awaitState(TaskId task, TaskState state) {
    await("task is " + state).until(() -> look(task).state() == state);
  }

  /** Returns the number of workers that a task has lost. */
  public int takeovers(TaskId task) {
    return row("select takeovers from task where id = '" + task.value() + "'", Integer.class);
  }

  /** Returns the result of a query with one row and one column. */
  public <T> T row(String sql, Class<T> type) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(type).one());
  }

  /**
   * Changes rows directly, without the service. Like a request, this is repeated while others take
   * too long to give way; not in a transaction of the test, which the first failure ends.
   */
  public void tamper(String sql, @Nullable Object... parameters) {
    for (int time = 1; ; time++) {
      try {
        jdbi.useHandle(handle -> handle.execute(sql, parameters));
        return;
      } catch (JdbiException fault) {
        if (time == REPETITIONS || QuarkusTransaction.isActive() || !isInTheWay(fault)) {
          throw fault;
        }
      }
    }
  }

  private static boolean isInTheWay(JdbiException fault) {
    return SqlErrors.in(fault)
        .filter(sql -> LOCKED.contains(String.valueOf(sql.getSQLState())))
        .isPresent();
  }

  /** Waits until no work and no delivery is pending in the tree of this session. */
  public void awaitRest(SessionId root) {
    invariants.awaitRest(Set.of(root));
  }

  /** Waits until the sessions of the test rest, then checks the invariants. */
  public void checkInvariants() {
    try {
      invariants.awaitRest(roots);
    } finally {
      Gate.openAll();
    }
    invariants.check(roots);
    if (!model.faults().isEmpty()) {
      throw new AssertionError("model calls that failed: " + model.faults());
    }
  }

  /** The events of a session's model calls: {@code started 1, ended 1 model_timeout}. */
  public String modelEvents(SessionId session) {
    return row(
        """
        select string_agg(concat_ws(' ', substr(type, 7), data ->> 'attempt', data ->> 'error'), ', ' order by number)
        from event where type like 'model.%%' and session_id = '%s'
        """
            .formatted(session.value()),
        String.class);
  }
}
