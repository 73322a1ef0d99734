package dev.errand.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.http.ClientLimits.ClientSlots;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {

  private final Vertx vertx = Vertx.vertx();
  private int port;

  @BeforeEach
  void listen() throws Exception {
    var config =
        new SmallRyeConfigBuilder()
            .withMapping(HttpConfig.class)
            .withDefaultValue("errand.http.max-connections-per-client", "2")
            .build()
            .getConfigMapping(HttpConfig.class);
    var problems = new ProblemWriter(JsonMapper.builder().build());
    var limit = new ConnectionLimit(config, problems);
    var router = Router.router(vertx);
    router.route().handler(limit::check);
    router.route().handler(context -> context.end("served"));
    var server = vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1");
    port = server.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS).actualPort();
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void connectionsAboveTheLimitAreRefusedUntilOneIsClosed() throws Exception {
    try (var first = connect();
        var second = connect();
        var third = connect()) {
      assertThat(request(first)).startsWith("HTTP/1.1 200").endsWith("served");
      assertThat(request(second)).startsWith("HTTP/1.1 200");

      assertThat(request(third))
          .startsWith("HTTP/1.1 429")
          .containsIgnoringCase("retry-after: 5")
          .contains("application/problem+json", "2 connections");
      assertThat(request(first)).startsWith("HTTP/1.1 200");

      second.close();
      await().atMost(Duration.ofSeconds(60)).until(() -> request(third).startsWith("HTTP/1.1 200"));
    }
  }

  @Test
  void slotsAreCountedForEachClientAndForgottenAtTheEnd() {
    var slots = new ClientSlots(2);

    assertThat(slots.take("a")).isTrue();
    assertThat(slots.take("a")).isTrue();
    assertThat(slots.take("a")).isFalse();
    assertThat(slots.take("b")).isTrue();
    slots.release("a");
    assertThat(slots.take("a")).isTrue();
    slots.release("a");
    slots.release("a");
    slots.release("b");

    assertThat(slots.clients()).isZero();
  }

  private Socket connect() throws IOException {
    return new Socket("127.0.0.1", port);
  }

  /** Sends a request on a connection that stays open, and reads one answer. */
  private static String request(Socket socket) throws IOException {
    var request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    socket.getOutputStream().write(request);
    var answer = new StringBuilder();
    while (answer.indexOf("served") < 0 && answer.indexOf("}") < 0) {
      var next = socket.getInputStream().read();
      if (next < 0) {
        break;
      }
      answer.append((char) next);
    }
    return answer.toString();
  }
}
