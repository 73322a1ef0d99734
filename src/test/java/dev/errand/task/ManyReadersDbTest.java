package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Blocking reads use neither threads nor connections while they wait (architecture, rule 2). */
@QuarkusTest
class ManyReadersDbTest implements Story {

  private static final int READERS = 2_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  /** Excludes the connection of this query and idle connections. */
  private static final String BUSY_CONNECTIONS =
      "select count(*) from pg_stat_activity where backend_type = 'client backend' and state <>"
          + " 'idle' and pid <> pg_backend_pid()";

  @Inject TaskKit kit;
  @Inject TaskWaiters waiters;

  @Test
  void twoThousandConcurrentReadersAreAllAnswered() throws Exception {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      var request =
          HttpRequest.newBuilder(Http.uri("/v1/tasks/" + task + "/output?wait_ms=60000")).build();
      var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      for (int reader = 0; reader < READERS; reader++) {
        answers.add(ended(http, request));
      }
      await().atMost(TIMEOUT).until(() -> waiters.waiting() == READERS);
      await().atMost(TIMEOUT).until(() -> kit.row(BUSY_CONNECTIONS, Long.class) <= 5);
      assertThat(answers).noneMatch(CompletableFuture::isDone);
      assertRefused(http.send(request, HttpResponse.BodyHandlers.ofString()));
      gate.open();

      for (var answer : answers) {
        assertAnswered(answer);
      }
    }
  }

  /** So many is what one client may have. */
  private static void assertRefused(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    assertThat(answer.body()).contains("2000 waiting requests");
  }

  /** A reader whose wait ends before the task asks again. */
  private static CompletableFuture<HttpResponse<String>> ended(
      HttpClient http, HttpRequest request) {
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
        .thenCompose(answer ->
            answer.body().contains("\"is_running\":true")
                ? ended(http, request)
                : CompletableFuture.completedFuture(answer));
  }

  private static void assertAnswered(CompletableFuture<HttpResponse<String>> answer)
      throws InterruptedException, ExecutionException {
    assertThat(answer.get().statusCode()).isEqualTo(200);
    assertThat(answer.get().body()).contains("\"result\":\"gold\"", "\"is_running\":false");
  }
}
