package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.QueuedJobs;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every run begins with a JobRunr job: what a node has enqueued and cannot run, another runs. */
class JobIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile boolean isModelMended;

  @Test
  void anotherNodeRunsTheJobs(@TempDir Path home, @TempDir Path otherHome) throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, settings(endpoint))) {
      var jdbi = service.database();
      QueuedJobs.check(jdbi);
      var session = session(service);
      var parent = session(service);
      say(service, parent, "Delegate.");
      awaitState(service, parent, "idle");
      var child = SessionProbe.tasks(service, parent).getFirst();
      var failed = submit(service, "Fail.");
      Stream.of(child, failed).forEach(task -> awaitFailedAttempt(service, task));

      submit(service, "Hang.");
      hanging.await();
      isModelMended = true;
      var first = submit(service, "Do it.");
      say(service, session, "Do it.");
      service.post(path(child) + "/cancel", Map.of(), 200);
      dueNow(jdbi, failed);

      var queued = List.of(childOf(first), session, parent, childOf(failed));
      queued.forEach(each -> awaitJob(jdbi, each));
      try (var other = Service.startWithoutCopy(otherHome, sameDatabase(service, endpoint))) {
        queued.forEach(each -> awaitState(other, each, "idle"));
        Stream.of(first, failed)
            .forEach(task ->
                assertThat(other.get(path(task)).get("state").asText()).isEqualTo("completed"));
        assertThat(other.get(path(failed)).get("attempts").asInt()).isEqualTo(2);
        assertThat(SessionProbe.lastText(other, session)).isEqualTo("Done.");
        assertThat(SessionProbe.lastText(other, parent)).isEqualTo("I see.");
        assertThat(other.logged().stream().filter(line -> line.contains("Run begins"))).hasSize(4);
      } finally {
        end.countDown();
      }
    }
  }

  private Answer answer(ModelCall call) throws InterruptedException {
    return switch (call.prompt()) {
      case "Hang." -> {
        hanging.countDown();
        end.await();
        yield Answer.says("Done.");
      }
      case "Fail." -> {
        if (!isModelMended) {
          throw new ErrorStatus(200, "no answer");
        }
        yield Answer.says("Done.");
      }
      case "Delegate." ->
          call.isFirst()
              ? Answer.calls(Answer.task("Fail.", true))
              : Answer.says(call.notices().isEmpty() ? "I wait." : "I see.");
      default -> Answer.says("Done.");
    };
  }

  /** The only worker is taken by a run that hangs. */
  private static Map<String, String> settings(StubEndpoint endpoint) {
    var settings = new HashMap<>(endpoint.environment());
    settings.put("ERRAND_JOBRUNR_WORKERS", "1");
    settings.put("ERRAND_TASK_RETRY_FIRST_DELAY", "1h");
    settings.put("ERRAND_TASK_RETRY_LONGEST_DELAY", "1h");
    return settings;
  }

  private static Map<String, String> sameDatabase(Service service, StubEndpoint endpoint)
      throws Exception {
    var settings = new HashMap<>(endpoint.environment());
    settings.putAll(service.databaseEnvironment());
    settings.put("QUARKUS_LOG_CATEGORY__DEV_ERRAND_RUN__LEVEL", "DEBUG");
    return settings;
  }

  private static String session(Service service) {
    return service.post("/v1/sessions", Map.of(), 201).get("id").asText();
  }

  private static void say(Service service, String session, String text) {
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  private static JsonNode submit(Service service, String prompt) {
    return service
        .post(
            "/v1/tasks", Map.of("description", "a task", "prompt", prompt, "background", true), 202)
        .get("metadata");
  }

  private static String path(JsonNode task) {
    return "/v1/tasks/" + task.path("task_id").asText(task.path("id").asText());
  }

  private static String childOf(JsonNode task) {
    return task.get("sub_session_id").asText();
  }

  private static void awaitFailedAttempt(Service service, JsonNode task) {
    await()
        .atMost(TIMEOUT)
        .until(() -> {
          var look = service.get(path(task));
          return look.get("attempts").asInt() == 1 && look.get("state").asText().equals("pending");
        });
  }

  private static void awaitState(Service service, String session, String state) {
    await(session)
        .atMost(TIMEOUT)
        .until(() -> service.get("/v1/sessions/" + session).get("state").asText().equals(state));
  }

  private static UUID id(String session) {
    return SessionId.parse(session).orElseThrow().value();
  }

  private static void dueNow(Jdbi jdbi, JsonNode task) {
    jdbi.useHandle(handle ->
        handle.execute("update session set waits_until = now() where id = ?", id(childOf(task))));
  }

  private static void awaitJob(Jdbi jdbi, String session) {
    await(session)
        .atMost(TIMEOUT)
        .until(() ->
            jdbi.withHandle(handle ->
                handle
                    .createQuery(
                        """
                        select exists (
                          select 1 from session join jobrunr_jobs job on job.id = job_id::text
                          where session.id = :id and session.state = 'queued' and job.state = 'ENQUEUED')
                        """)
                    .bind("id", id(session))
                    .mapTo(Boolean.class)
                    .one()));
  }
}
