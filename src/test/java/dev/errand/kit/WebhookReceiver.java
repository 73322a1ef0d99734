package dev.errand.kit;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.containing;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;
import static com.github.tomakehurst.wiremock.stubbing.Scenario.STARTED;
import static org.awaitility.Awaitility.await;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A server that receives webhooks. */
public final class WebhookReceiver implements AutoCloseable {

  private final WireMockServer server =
      new WireMockServer(options().dynamicPort().containerThreads(64));

  public WebhookReceiver() {
    server.start();
    answers(status(200));
  }

  public String url() {
    return "http://127.0.0.1:" + server.port() + "/hook";
  }

  public static ResponseDefinitionBuilder status(int status) {
    return aResponse().withStatus(status);
  }

  /** Answers requests with these responses in order; the last one is repeated indefinitely. */
  public void answers(ResponseDefinitionBuilder... answers) {
    server.resetMappings();
    server.resetScenarios();
    for (int step = 0; step < answers.length; step++) {
      var stub =
          any(anyUrl())
              .inScenario("posts")
              .whenScenarioStateIs(step == 0 ? STARTED : "step " + step)
              .willReturn(answers[step]);
      server.stubFor(step == answers.length - 1 ? stub : stub.willSetStateTo("step " + (step + 1)));
    }
  }

  /** Refuses posts whose body contains this text; to be called after {@link #answers}. */
  public void refuses(String text) {
    server.stubFor(
        any(anyUrl()).atPriority(1).withRequestBody(containing(text)).willReturn(status(400)));
  }

  /** The posts received so far, oldest first. */
  public List<LoggedRequest> posts() {
    return server.getAllServeEvents().reversed().stream() // of one millisecond, oldest first
        .map(ServeEvent::getRequest)
        .sorted(Comparator.comparing(LoggedRequest::getLoggedDate))
        .toList();
  }

  public List<LoggedRequest> awaitPosts(int count) {
    await(count + " posts")
        .atMost(Duration.ofSeconds(120))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> posts().size() >= count);
    return posts();
  }

  /** Verifies the signature of a post with the library of the Standard Webhooks specification. */
  public static void verify(LoggedRequest post, String secret) throws WebhookVerificationException {
    Map<String, List<String>> headers =
        post.getHeaders().keys().stream()
            .collect(Collectors.toMap(String::toLowerCase, key -> post.header(key).values()));
    new Webhook(secret).verify(post.getBodyAsString(), headers);
  }

  @Override
  public void close() {
    server.stop();
  }
}
