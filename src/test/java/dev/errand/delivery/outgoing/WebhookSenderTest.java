package dev.errand.delivery.outgoing;

import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.delivery.outgoing.WebhookSender.PostOutcome;
import dev.errand.egress.HostResolver;
import dev.errand.kit.WebhookReceiver;
import dev.errand.outbox.Callback;
import dev.errand.outbox.WebhookSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single attempts against real servers; the test decides the addresses of host names. */
class WebhookSenderTest {

  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
  private static final WebhookSecret SECRET = WebhookSecret.random();

  private final WebhookReceiver receiver = new WebhookReceiver();

  private record Settings(boolean allowPrivate, Duration totalTimeout) implements WebhookConfig {

    @Override
    public boolean httpsOnly() {
      return false;
    }

    @Override
    public boolean proxy() {
      return false;
    }

    @Override
    public List<Duration> schedule() {
      return List.of(Duration.ZERO);
    }

    @Override
    public Duration connectTimeout() {
      return Duration.ofSeconds(20);
    }

    @Override
    public int concurrency() {
      return 4;
    }

    @Override
    public int concurrencyPerHost() {
      return 4;
    }
  }

  private static final Settings OPEN = new Settings(true, Duration.ofSeconds(30));
  private static final Settings SHORT = new Settings(true, Duration.ofMillis(500));
  private static final Settings LONGER = new Settings(true, Duration.ofSeconds(3));
  private static final Settings CLOSED = new Settings(false, Duration.ofSeconds(30));

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void postIsSignedAndCarriesTheBody() throws Exception {
    assertThat(post(OPEN, receiver.url())).isInstanceOf(PostOutcome.PostAccepted.class);

    var post = receiver.awaitPosts(1).getFirst();
    WebhookReceiver.verify(post, SECRET.text());
    assertThat(post.method()).isEqualTo("POST");
    assertThat(post.path()).isEqualTo("/hook");
    assertThat(post.header("webhook-id")).isEqualTo("dlv_1");
    assertThat(post.header("Content-Type")).startsWith("application/json");
    assertThat(post.body()).isEqualTo("{\"words\": \"schön\"}");
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 204})
  void everySuccessStatusIsAccepted(int status) {
    receiver.answers(status(status));

    assertThat(post(OPEN, receiver.url())).isInstanceOf(PostOutcome.PostAccepted.class);
  }

  @ParameterizedTest
  @CsvSource({"301", "302", "303", "307", "308", "400", "401", "404", "500", "503"})
  void anyOtherStatusIsAFailureThatNamesIt(int status) {
    receiver.answers(status(status).withHeader("Location", receiver.url()));

    assertThat(post(OPEN, receiver.url())).isEqualTo(PostOutcome.PostFailed.of("HTTP " + status));
    assertThat(receiver.posts()).as("the redirect is not followed").hasSize(1);
  }

  @Test
  void status410IsReportedAsGone() {
    receiver.answers(status(410));

    assertThat(post(OPEN, receiver.url())).isInstanceOf(PostOutcome.Gone.class);
  }

  @ParameterizedTest
  @CsvSource({"429, 120", "503, 120", "500, 0"})
  void retryAfterOfTheReceiverIsReported(int status, int seconds) {
    receiver.answers(status(status).withHeader("Retry-After", "120"));

    assertThat(post(OPEN, receiver.url()))
        .isEqualTo(new PostOutcome.PostFailed("HTTP " + status, Duration.ofSeconds(seconds)));
  }

  @Test
  void attemptAtAHangingReceiverTimesOut() {
    receiver.answers(status(200).withDelay(Duration.ofSeconds(60)));

    assertThat(post(SHORT, receiver.url())).isEqualTo(PostOutcome.PostFailed.of("timed out"));
  }

  @Test
  void slowBodyDoesNotExceedTheTotalTimeoutAndTheStatusCounts() {
    receiver.answers(status(200).withBody("x".repeat(2_000)).withPause(Duration.ofMillis(60)));
    var startedAt = System.nanoTime();

    var outcome = post(LONGER, receiver.url());

    assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(60));
    assertThat(outcome).isInstanceOf(PostOutcome.PostAccepted.class);
  }

  @Test
  void longResponseBodyIsNotReadCompletely() {
    receiver.answers(status(200).withBody("x".repeat(10 << 20)));

    assertThat(post(OPEN, receiver.url())).isInstanceOf(PostOutcome.PostAccepted.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {17_000, 20_000, 40_000, 60_000})
  void successWithLongHeadersIsASuccess(int length) {
    receiver.answers(status(200).withHeader("X-Long", "x".repeat(length)));

    assertThat(post(OPEN, receiver.url())).isEqualTo(new PostOutcome.PostAccepted());
  }

  @Test
  void reasonNamesHeadersThatAreTooLong() {
    receiver.answers(status(200).withHeader("X-Long", "x".repeat(80_000)));

    assertThat(post(OPEN, receiver.url()))
        .isEqualTo(PostOutcome.PostFailed.of("headers longer than 64 KiB"));
  }

  @Test
  void unreachableReceiverIsAFailureWithoutDetails() {
    var url = receiver.url();
    receiver.close();

    assertThat(post(OPEN, url)).isEqualTo(PostOutcome.PostFailed.of("connection failed"));
  }

  @Test
  void plainTextResponseToATlsConnectionIsAFailure() throws Exception {
    try (var server = new ServerSocket(0, 1, LOOPBACK)) {
      Thread.startVirtualThread(() -> answerInPlainText(server));

      var outcome = post(OPEN, "https://127.0.0.1:%d/hook".formatted(server.getLocalPort()));

      assertThat(outcome)
          .isEqualTo(PostOutcome.PostFailed.of("it does not speak TLS at this port"));
    }
  }

  private static void answerInPlainText(ServerSocket server) {
    try (var connection = server.accept()) {
      connection.getInputStream().read();
      connection.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
      connection.getOutputStream().flush();
      connection.getInputStream().readAllBytes();
    } catch (IOException _) {
      // The outcome of the post shows it.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"})
  void privateTargetIsBlockedWithoutAConnection(String host) {
    var url = receiver.url().replace("127.0.0.1", host);

    assertThat(post(CLOSED, url)).isEqualTo(PostOutcome.PostFailed.of("blocked address"));
    assertThat(receiver.posts()).isEmpty();
  }

  @Test
  void hostNameWhoseAddressBecamePrivateAfterRegistrationIsBlocked() {
    var lookups = new AtomicInteger();
    HostResolver rebinding =
        _ ->
            List.of(
                lookups.getAndIncrement() == 0 ? InetAddress.ofLiteral("93.184.215.14") : LOOPBACK);
    var addresses = new WebhookAddresses(CLOSED, rebinding);
    var url = receiver.url().replace("127.0.0.1", "rebinding.example");
    assertThat(addresses.check(url, null)).isInstanceOf(WebhookAddresses.CheckedCallback.Fit.class);

    assertThat(post(CLOSED, addresses, url))
        .isEqualTo(PostOutcome.PostFailed.of("blocked address"));
    assertThat(receiver.posts()).isEmpty();
    assertThat(lookups).as("one lookup at registration, one at the attempt").hasValue(2);
  }

  @Test
  void connectionUsesTheAddressThatWasChecked() {
    var lookups = new AtomicInteger();
    HostResolver once =
        _ -> {
          lookups.incrementAndGet();
          return List.of(LOOPBACK);
        };
    var url = receiver.url().replace("127.0.0.1", "receiver.example");

    assertThat(post(OPEN, new WebhookAddresses(OPEN, once), url))
        .isInstanceOf(PostOutcome.PostAccepted.class);
    assertThat(lookups).hasValue(1);
    assertThat(receiver.posts().getFirst().header("Host")).startsWith("receiver.example:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:1/x", "http://localhost/x", "http://u:p@8.8.8.8/"})
  void registrationRefusesPrivateTargets(String url) {
    var addresses = new WebhookAddresses(CLOSED, HostResolver.SYSTEM);

    assertThat(addresses.check(url, null))
        .isInstanceOf(WebhookAddresses.CheckedCallback.Forbidden.class);
  }

  private static PostOutcome post(WebhookConfig config, String url) {
    return post(config, new WebhookAddresses(config, HostResolver.SYSTEM), url);
  }

  private static PostOutcome post(WebhookConfig config, WebhookAddresses addresses, String url) {
    var sender = new WebhookSender(config, addresses, Clock.systemUTC());
    try {
      return sender.post(new Callback(URI.create(url), SECRET), "dlv_1", "{\"words\": \"schön\"}");
    } finally {
      sender.close();
    }
  }
}
