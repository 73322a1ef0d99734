package dev.errand.story;

import static dev.errand.kit.Http.given;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.EndpointModels;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.ScriptedModel;
import dev.errand.kit.Story;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.EndpointGates;
import dev.errand.model.ModelException;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import dev.errand.tenant.TenantModels;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sessions whose model is away wait in the database, roots and children alike. */
@QuarkusTest
class PatienceDbTest implements Story {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final int CHILDREN = 6;
  private static final int HASTE = 599_000;
  private static final int PAUSE_MILLIS = 1_500;
  private static final int TASKS = 60;

  @Inject TaskKit kit;
  @Inject EndpointModels endpoints;
  @Inject EndpointGates gates;

  private final CountDownLatch childrenCalled = new CountDownLatch(CHILDREN);
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger taken = new AtomicInteger();
  private int inPeriod;
  private long periodEnds = System.nanoTime();
  private volatile boolean away;

  /** The children call while the endpoint is well, then it fails; the first child has ended. */
  private Answer answer(ModelCall call) throws InterruptedException {
    if (away) {
      refused.incrementAndGet();
      throw new StubEndpoint.ErrorStatus(503);
    }
    if (call.prompt().equals("Go.")) {
      return call.isFirst()
          ? Answer.calls(
              IntStream.range(0, CHILDREN)
                  .mapToObj(PatienceDbTest::delegation)
                  .toArray(StubEndpoint.Call[]::new))
          : Answer.says("noted");
    }
    if (!call.isFirst()) {
      return Answer.says("done");
    }
    childrenCalled.countDown();
    childrenCalled.await();
    away = true;
    return call.prompt().equals("child 0")
        ? Answer.says("done at once")
        : Answer.calls(StubEndpoint.Answer.call("list", Map.of()));
  }

  /** The last child is the one that times out. */
  private static StubEndpoint.Call delegation(int number) {
    return Answer.call(
        "task",
        Map.of(
            "description",
            "a task",
            "prompt",
            "child " + number,
            "background",
            true,
            "timeout_ms",
            number == CHILDREN - 1 ? HASTE : 600_000));
  }

  @Test
  void everythingContinuesWhenTheModelIsBack() throws Exception {
    endpoints.answer(this::answer);
    var root = kit.session(Map.of("model", EndpointModels.OPENAI));

    kit.say(root, "Go.");
    childrenCalled.await();
    await("root and children wait without a worker").until(() -> waiting(root) == CHILDREN);
    var hasty =
        kit.tasksOf(root).stream()
            .filter(task -> task.timeoutMs() == HASTE)
            .findFirst()
            .orElseThrow();
    var from = System.nanoTime();
    var before = refused.get();
    kit.tamper(
        "update task set deadline_at = clock_timestamp() + ? * interval '1 millisecond' where id = ?",
        PAUSE_MILLIS,
        hasty.id().value());
    var timedOut = kit.awaitEnd(hasty.id());
    var duringTheTimeout = refused.get() - before;
    var millis = (System.nanoTime() - from) / 1_000_000;
    await("the others still wait").until(() -> waiting(root) == CHILDREN - 1);
    away = false;
    kit.awaitRest(root);

    assertThat(timedOut.state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(requireNonNull(timedOut.outcome().orElseThrow().error()).message())
        .startsWith("the task did not end within timeout_ms = 599000; its last model call failed")
        .contains("(model_unavailable): openai (127.0.0.1:", "answered 503");
    var ran = Duration.between(timedOut.startedAt(), timedOut.endedAt());
    assertThat(ran).isGreaterThanOrEqualTo(Duration.ofMillis(PAUSE_MILLIS));
    // One in 20 ms, however many sessions wait.
    assertThat(duringTheTimeout).isLessThanOrEqualTo((int) millis / 20 + 1);
    assertThat(others(root, hasty))
        .allSatisfy(task -> {
          assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
          assertThat(task.attempts()).isEqualTo(1);
        });
    assertThat(kit.transcript(root))
        .anyMatch(message ->
            message.text().contains("timed_out") && message.text().contains("answered 503"));
    assertThat(kit.outline(root).stream().filter("notice"::equals)).hasSize(CHILDREN);
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("noted");
    assertThat(endpoints.errors()).isEmpty();
  }

  private List<Task> others(SessionId root, Task hasty) {
    return kit.tasksOf(root).stream().filter(task -> !task.id().equals(hasty.id())).toList();
  }

  /** The sessions of the tree that wait for a time, without a node. */
  private int waiting(SessionId root) {
    return kit.row(
        "select count(*) from session where state = 'waiting' and waits_for = 'model' and root_id = '"
            + root.value()
            + "'",
        Integer.class);
  }

  @Test
  void rootThatFailsForGoodSaysSoAndCanBeResumed() throws Exception {
    try (var receiver = new WebhookReceiver()) {
      var callback = Map.of("url", receiver.url(), "secret", SECRET);
      var root =
          kit.session(
              Map.of("callback", callback), model -> model.failsForever(Code.MODEL_UNREACHABLE));

      kit.say(root, "Hello?");
      await("the root waits").until(() -> kit.look(root).state() == SessionState.WAITING);
      await("it says why and until when")
          .untilAsserted(() ->
              get(root)
                  .body("not_before", notNullValue())
                  .body("last_error.code", is("model_unreachable")));
      kit.tamper(
          "update session set model_away_since = now() - interval '1 hour' where id = ?",
          root.value());
      kit.awaitRest(root);

      assertThat(kit.outline(root)).containsExactly("user", "system");
      get(root).body("not_before", nullValue()).body("last_error.code", is("model_unreachable"));
      assertThat(receiver.awaitPosts(1).getFirst().body())
          .contains("\"type\":\"session.failed\"", "model_unreachable", root.toString());
      assertThat(events(root)).contains("session.failed");

      kit.script(root, model -> model.says("Hello."));
      given().post("/v1/sessions/{id}/resume", root.toString()).then().statusCode(202);
      kit.awaitRest(root);

      assertThat(kit.outline(root)).containsExactly("user", "system", "assistant");
      get(root).body("last_error", nullValue());
    }
  }

  private static HttpAnswer get(SessionId session) {
    return given().get("/v1/sessions/{id}", session.toString()).then().statusCode(200);
  }

  private String events(SessionId root) {
    return kit.row(
        "select string_agg(type, ' ') from event where root_id = '" + root.value() + "'",
        String.class);
  }

  /** Otherwise a conversation that ends its workers could do so as often as it waits in between. */
  @Test
  void workersThatASessionHasLostAreNotForgottenWhileItWaits() {
    var root = kit.session(model -> model.failsForever(Code.MODEL_UNAVAILABLE));
    var takeovers = "select takeovers from session where id = '%s'".formatted(root.value());
    kit.say(root, "One.");
    await("the root waits").until(() -> kit.look(root).state() == SessionState.WAITING);

    kit.tamper("update session set takeovers = 2 where id = ?", root.value());
    var tries = kit.requests(root).size();
    await("it waits again")
        .until(() ->
            kit.requests(root).size() > tries + 1
                && kit.look(root).state() == SessionState.WAITING);

    assertThat(kit.row(takeovers, Integer.class)).isEqualTo(2);
    kit.script(root, model -> model.says("done"));
    kit.awaitRest(root);
    assertThat(kit.row(takeovers, Integer.class)).isZero();
  }

  /** The wait for a limit comes between two tasks of a child. */
  @Test
  void continuedChildThatWaitedForALimitHasItsWholePatience() {
    var gate = new Gate();
    kit.child("first", model -> model.failsForever(Code.MODEL_UNREACHABLE));
    kit.child("other", model -> model.at(gate).says("done"));
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    var first = kit.submit(parent, "first");
    var child = kit.look(first).child();
    await("the child waits").until(() -> waiting(parent) == 1);
    kit.tamper(
        "update session set model_away_since = now() - interval '1 hour' where id = ?",
        child.value());
    assertThat(kit.awaitEnd(first).state()).isEqualTo(TaskState.FAILED);
    kit.submit(parent, "other");
    gate.awaitArrivals(1);

    var second = kit.submit(parent, "again", Map.of("session_id", child.toString()));
    assertThat(kit.look(child).state()).isEqualTo(SessionState.WAITING);
    gate.open();
    await("it waits for its model, or has failed")
        .until(() -> waiting(parent) == 1 || kit.look(second).outcome().isPresent());
    kit.child("first", model -> model.says("done"));

    assertThat(kit.awaitEnd(second).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void messageToAWaitingSessionIsReadAtItsNextTry() {
    var root = kit.session(model -> model.failsForever(Code.MODEL_UNAVAILABLE));

    kit.say(root, "One.");
    await("the root waits").until(() -> kit.look(root).state() == SessionState.WAITING);
    kit.say(root, "Two.");
    await("a try has read it")
        .until(() -> kit.requests(root).getLast().conversation().toString().contains("Two."));
    kit.script(root, model -> model.says("both heard"));
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("user", "user", "assistant");
  }

  @Test
  void manyTasksShareAnEndpointThatLimitsItsCalls() {
    endpoints.answer(this::limited);
    var parent = kit.externalSession();

    var submitted =
        IntStream.range(0, TASKS)
            .mapToObj(n -> kit.submit(parent, "task " + n, Map.of("model", EndpointModels.OPENAI)))
            .toList();
    kit.awaitRest(parent);

    var tasks = submitted.stream().map(kit::look).toList();
    assertThat(tasks)
        .allSatisfy(task -> {
          assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
          assertThat(task.attempts()).isEqualTo(1);
        });
    assertThat(taken.get()).isEqualTo(2 * TASKS);
    // Without a common pace a quarter of the calls would be refused.
    assertThat(refused.get()).isLessThan(2 * TASKS / 6);
    assertThat(endpoints.errors()).isEmpty();
  }

  /** The endpoint takes 50 calls in each second. */
  private synchronized Answer limited(ModelCall call) {
    var now = System.nanoTime();
    if (now - periodEnds >= 0) {
      periodEnds = now + 1_000_000_000;
      inPeriod = 0;
    }
    if (inPeriod == 50) {
      refused.incrementAndGet();
      var seconds = (periodEnds - now) / 1e9;
      throw new StubEndpoint.ErrorStatus(429, Map.of("Retry-After", "%.3f".formatted(seconds)));
    }
    inPeriod++;
    taken.incrementAndGet();
    return call.isFirst()
        ? Answer.calls(StubEndpoint.Answer.call("list", Map.of()))
        : Answer.says("done");
  }

  @Test
  void modelThatAsksForADayIsTriedForOtherSessionsAfterTwoMinutes() {
    var later =
        new ModelException(
            Code.MODEL_RATE_LIMITED,
            "come tomorrow",
            Optional.of(Duration.ofDays(1)),
            new IllegalStateException("429"));
    var root = kit.session(model -> model.failsForever(later));

    kit.say(root, "Hello?");
    await("the root waits").until(() -> kit.look(root).state() == SessionState.WAITING);

    var gate = gates.of(kit.look(root).model(), TenantModels.OF_SERVICE);
    assertThat(gate.closedFor()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
    assertThat(
            kit.row(
                "select extract(epoch from waits_until - model_away_since)::int from session where id = '%s'"
                    .formatted(root.value()),
                Integer.class))
        .isEqualTo(30 * 60);
    kit.cancel(root);
  }

  /** Another task has the only place of its model until the gate opens. */
  private TaskId taskThatWaitsForItsFirstCall(SessionId parent, Gate gate) {
    kit.child("first", model -> model.at(gate).says("done"));
    kit.child("second", model -> model.says("done"));
    var model = Map.of("model", ScriptedModel.OneAtATime.NAME);
    kit.submit(parent, "first", model);
    gate.awaitArrivals(1);
    var task = kit.submit(parent, "second", model);
    await("it waits").until(() -> waiting(parent) == 1);
    return task;
  }

  @Test
  void sessionWhosePatienceIsOverWaitsForAModelThatIsOnlyBusy() {
    var gate = new Gate();
    var parent = kit.externalSession();
    var task = taskThatWaitsForItsFirstCall(parent, gate);
    var child = kit.look(task).child().value();

    kit.tamper(
        "update session set model_away_since = now() - interval '1 hour', waits_until = now() where id = ?",
        child);
    var states = "select count(*) from event where session_id = '%s'".formatted(child);
    var before = kit.row(states, Integer.class);
    awaitATimeOut();

    assertThat(kit.row(states, Integer.class)).isEqualTo(before);
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.look(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void timeOutOfATaskThatWaitsForItsFirstCallDoesNotRun() {
    var gate = new Gate();
    var parent = kit.externalSession();
    var task = taskThatWaitsForItsFirstCall(parent, gate);

    kit.tamper(
        "update task set created_at = created_at - interval '1 day' where id = ?", task.value());
    awaitATimeOut();

    assertThat(kit.look(task).state()).isEqualTo(TaskState.PENDING);
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.look(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  /** Waits until the service has ended another task that was overdue. */
  private void awaitATimeOut() {
    var gate = new Gate();
    kit.child("late", model -> model.at(gate).says("late"));
    var late = kit.submit(kit.externalSession(), "late");
    gate.awaitArrivals(1);
    kit.tamper("update task set deadline_at = now() where id = ?", late.value());
    assertThat(kit.awaitEnd(late).state()).isEqualTo(TaskState.TIMED_OUT);
  }
}
