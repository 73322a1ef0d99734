package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A killed process delays accepted tasks, but loses and repeats nothing. */
class KillNineIT {

  private static final int EXTERNAL_TASKS = 60;
  private static final int CUT_TASKS = 60;
  private static final int SENT_BEFORE = 50;
  private static final int ACCEPTED_BEFORE = 10;
  private static final int HOSTED_TASKS = 5;
  private static final int ALL_TASKS = EXTERNAL_TASKS + CUT_TASKS + HOSTED_TASKS + 1;
  private static final int DONE_BEFORE = 20;
  private static final int CONCURRENT = 30;
  private static final String SLOW = "Take your time.";
  private static final Duration TIMEOUT = Duration.ofSeconds(300);

  /** At the crash some tasks of this parent run, and some have no job yet. */
  private static final Map<String, ?> EXTERNAL_PARENT =
      Map.of(
          "kind",
          "external",
          "limits",
          Map.of("max_delegations", EXTERNAL_TASKS, "max_background_tasks", CONCURRENT));

  @TempDir Path home;

  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicBoolean slowChildRuns = new AtomicBoolean();
  private final CountDownLatch open = new CountDownLatch(1);

  /** A parent waits, and submissions to another one get no answer; they are repeated. */
  @Test
  void everyAcceptedTaskIsExecutedOnceAndNotifiedOnceAndAWaitingParentContinues() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, withHook(endpoint.environment()))) {
      var external = open(service, EXTERNAL_PARENT);
      var hosted = open(service, Map.of());
      service.post("/v1/sessions/" + hosted + "/messages", Map.of("text", "Delegate."), 202);
      submitAll(service, external, EXTERNAL_TASKS);
      await().atMost(TIMEOUT).until(() -> completed(service) >= DONE_BEFORE);
      var waiting = open(service, Map.of());
      service.post("/v1/sessions/" + waiting + "/messages", Map.of("text", "Wait for it."), 202);
      await().atMost(TIMEOUT).until(slowChildRuns::get);

      var cut = open(service, EXTERNAL_PARENT);
      killDuringSubmissions(service, cut);
      open.countDown();
      service.startAgain();
      submitAll(service, cut, CUT_TASKS);
      await().atMost(TIMEOUT).until(() -> completed(service) == ALL_TASKS);
      for (var parent : List.of(external, cut, waiting, hosted)) {
        SessionProbe.awaitRest(service, parent);
      }

      assertThat(endpoint.errors()).isEmpty();
      checkNotices(service, external, EXTERNAL_TASKS);
      checkNotices(service, cut, CUT_TASKS);
      checkNotices(service, hosted, HOSTED_TASKS);
      assertThat(SessionProbe.roles(service, waiting))
          .containsExactly("user", "assistant", "tool", "assistant");
      for (var parent : List.of(external, cut, waiting, hosted)) {
        checkChildren(service, parent);
      }
      var roots = Stream.of(external, cut, hosted, waiting).map(KillNineIT::sessionId).toList();
      assertThat(Invariants.broken(service.database(), roots)).isEmpty();
      await().atMost(TIMEOUT).untilAsserted(() -> assertThat(told()).hasSize(ALL_TASKS));
    }
  }

  private static void killDuringSubmissions(Service service, String parent) throws Exception {
    var accepted = new AtomicInteger();
    var some = new CountDownLatch(ACCEPTED_BEFORE);
    var killed = new CountDownLatch(1);
    var threads = Executors.newFixedThreadPool(8);
    try {
      for (int number = 0; number < CUT_TASKS; number++) {
        var task = number;
        threads.execute(() -> {
          awaitUnless(task < SENT_BEFORE, killed);
          if (isSubmitted(service, parent, task)) {
            accepted.incrementAndGet();
            some.countDown();
          }
        });
      }
      assertThat(some.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      service.kill();
      killed.countDown();
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      threads.shutdownNow();
    }
    assertThat(accepted.get()).as("some were cut").isLessThan(SENT_BEFORE);
  }

  /** A hook, configured by environment variables, that writes down the ends of tasks. */
  private Map<String, String> withHook(Map<String, String> environment) {
    var all = new HashMap<>(environment);
    all.put("ERRAND_HOOKS_TOLD_COMMAND", "/bin/sh,-c,cat >> " + home.resolve("told"));
    all.put("ERRAND_HOOKS_TOLD_EVENTS", "task.ended");
    all.put("ERRAND_HOOKS_TOLD_ON_ERROR", "deny");
    return all;
  }

  private Set<String> told() throws IOException {
    return Pattern.compile("\"task_id\":\"(task_\\w+)\"")
        .matcher(Files.readString(home.resolve("told")))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  private static void awaitUnless(boolean early, CountDownLatch latch) {
    try {
      if (!early) {
        latch.await();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static String open(Service service, Map<String, ?> body) {
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private static void submitAll(Service service, String parent, int tasks)
      throws InterruptedException {
    try (var threads = Executors.newFixedThreadPool(8)) {
      threads
          .invokeAll(
              IntStream.range(0, tasks)
                  .<Callable<JsonNode>>mapToObj(number -> () -> submit(service, parent, number))
                  .toList())
          .forEach(answer -> assertThat(answer.resultNow()).isNotNull());
    }
  }

  /** Submits to a service that may be gone, or that dies before it answers. */
  private static boolean isSubmitted(Service service, String parent, int number) {
    try {
      submit(service, parent, number);
      return true;
    } catch (UncheckedIOException exception) {
      assertThat(exception).hasCauseInstanceOf(IOException.class);
    } catch (AssertionError otherAnswer) {
      assertThat(otherAnswer).hasMessageContaining("Service Unavailable");
    }
    return false;
  }

  private static JsonNode submit(Service service, String parent, int number) {
    return service.post(
        "/v1/tasks",
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "task " + number,
            "prompt",
            "Do number " + number + ".",
            "background",
            true),
        202,
        "Idempotency-Key",
        "number-" + number + " of " + parent);
  }

  private static int completed(Service service) throws IOException {
    return service
        .database()
        .withHandle(handle ->
            handle
                .createQuery("select count(*) from task where state = 'completed'")
                .mapTo(Integer.class)
                .one());
  }

  /** Each task of the session is in exactly one of its messages. */
  private static void checkNotices(Service service, String session, int expected) {
    var notices = new HashMap<String, Integer>();
    for (var message : SessionProbe.messages(service, session)) {
      if (message.get("kind").asText().equals("notice")) {
        notices.merge(
            SessionProbe.text(message).replaceAll("(?s).*task_id: (\\w+).*", "$1"),
            1,
            Integer::sum);
      }
    }
    var delegated =
        SessionProbe.tasks(service, session).stream().map(task -> task.get("id").asText()).toList();
    assertThat(delegated).hasSize(expected);
    assertThat(notices).containsOnlyKeys(delegated);
    assertThat(notices.values()).containsOnly(1);
  }

  /** No turn of a child was repeated. */
  private static void checkChildren(Service service, String session) {
    assertThat(SessionProbe.tasks(service, session))
        .allSatisfy(task -> {
          assertThat(task.get("state").asText()).isEqualTo("completed");
          assertThat(SessionProbe.roles(service, task.get("session_id").asText()))
              .containsExactly("user", "assistant", "tool", "assistant");
        });
  }

  /** Children list the files and then answer; only some answer before the process dies. */
  private Answer answer(ModelCall call) throws InterruptedException {
    if (call.prompt().equals("Delegate.")) {
      return primary(call);
    }
    if (call.prompt().equals("Wait for it.")) {
      return call.isFirst() ? Answer.calls(Answer.task(SLOW, false)) : Answer.says("It came.");
    }
    if (call.isFirst()) {
      return Answer.calls(Answer.call("list", Map.of()));
    }
    if (call.prompt().equals(SLOW)) {
      slowChildRuns.set(true);
    }
    if (ended.incrementAndGet() > DONE_BEFORE) {
      open.await();
    }
    return Answer.says("Done: " + call.prompt());
  }

  private static Answer primary(ModelCall call) {
    if (!call.isFirst()) {
      return Answer.says("I see.");
    }
    return Answer.calls(
        IntStream.range(0, HOSTED_TASKS)
            .mapToObj(number -> Answer.task("Help with " + number + ".", true))
            .toArray(Call[]::new));
  }

  private static SessionId sessionId(String id) {
    return SessionId.parse(id).orElseThrow();
  }
}
