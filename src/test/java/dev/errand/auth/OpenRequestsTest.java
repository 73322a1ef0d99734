package dev.errand.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.auth.OpenRequests.Validity;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.Socket;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests to a real server; they end in each way. */
class OpenRequestsTest {

  private static final Validity LONG = new Validity.Until(Instant.MAX);

  private final Vertx vertx = Vertx.vertx();
  private final CompletableFuture<RoutingContext> arrived = new CompletableFuture<>();
  private final OpenRequests open =
      new OpenRequests(new Credentials(Jdbi.create("jdbc:not-used")), Clock.systemUTC());

  private Socket client;

  @BeforeEach
  void request() throws Exception {
    var router = Router.router(vertx);
    router.route().handler(arrived::complete);
    var server = vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1");
    var port =
        server.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS).actualPort();
    client = new Socket("127.0.0.1", port);
    client.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void requestIsKnownUntilItIsAnswered() throws Exception {
    var request = arrived.get(20, TimeUnit.SECONDS);
    open.watch(request, LONG);

    assertThat(open.isEmpty()).isFalse();
    request.end("served");
    await().until(open::isEmpty);
  }

  @Test
  void requestIsKnownUntilItsClientIsGone() throws Exception {
    open.watch(arrived.get(20, TimeUnit.SECONDS), LONG);

    assertThat(open.isEmpty()).isFalse();
    client.close();
    await().until(open::isEmpty);
  }

  @Test
  void requestWhoseClientWasGoneDuringAuthenticationIsNotKept() throws Exception {
    var request = arrived.get(20, TimeUnit.SECONDS);
    client.close();
    await().until(() -> request.response().closed());

    open.watch(request, LONG);

    assertThat(open.isEmpty()).isTrue();
  }
}
