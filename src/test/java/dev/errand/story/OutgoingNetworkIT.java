package dev.errand.story;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Certificates;
import dev.errand.kit.HttpProxy;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.SpanCollector;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.TlsFront;
import dev.errand.kit.TokenIssuer;
import dev.errand.kit.WebhookReceiver;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Own certificate authorities, proxies and addresses with the packaged service. */
class OutgoingNetworkIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String MODEL = "openai:gpt-test";

  private final StubEndpoint endpoint;
  private final String url;

  @TempDir Path home;

  OutgoingNetworkIT() throws IOException {
    endpoint = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("fine"));
    url = requireNonNull(endpoint.environment().get("OPENAI_BASE_URL"));
  }

  @AfterEach
  void close() {
    endpoint.close();
  }

  /** Runs a task of a root session with a callback, and returns how it ended. */
  private static String end(Service service, String callback, String... headers) {
    var body =
        Map.of(
            "description",
            "a task",
            "prompt",
            "Work.",
            "model",
            MODEL,
            "callback",
            Map.of("url", callback));
    var waiting = new ArrayList<>(List.of(headers));
    waiting.addAll(List.of("Prefer", "wait=60"));
    return service.post("/v1/tasks", body, 200, waiting.toArray(String[]::new)).toString();
  }

  @Test
  void certificatesOfAFileAreTrustedByEveryClient() throws Exception {
    var certificate = Certificates.by("known");
    try (var collector = SpanCollector.start();
        var receiver = new WebhookReceiver();
        var model = TlsFront.before(url, certificate);
        var issuer = TlsFront.before(TokenIssuer.shared().url(), certificate);
        var spans = TlsFront.before(collector.url(), certificate);
        var callbacks = TlsFront.before(receiver.url(), certificate);
        var hooks = TlsFront.before(receiver.url(), certificate);
        var mcp = TlsFront.before(receiver.url(), certificate)) {
      var environment = new HashMap<>(collector.with(endpoint.environment()));
      environment.put("ERRAND_CA_FILE", certificate.pem().toString());
      environment.put("OPENAI_BASE_URL", model.of(url));
      environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:" + spans.port());
      environment.put("ERRAND_AUTH", "oidc");
      environment.put("ERRAND_OIDC_ISSUER", "https://127.0.0.1:" + issuer.port());
      environment.put("ERRAND_OIDC_AUDIENCE", TokenIssuer.AUDIENCE);
      environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
      environment.put("ERRAND_HOOKS_TOLD_URL", hooks.of(receiver.url()));
      environment.put("ERRAND_HOOKS_TOLD_EVENTS", "task.ended");
      environment.put("ERRAND_MCP_SERVERS_WEB_URL", mcp.of(receiver.url()));
      var token = TokenIssuer.shared().token("ann", Map.of("roles", List.of("agent")));
      try (var service = Service.start(home, environment)) {
        var ended = end(service, callbacks.of(receiver.url()), "Authorization", "Bearer " + token);

        assertThat(ended).contains("\"status\":\"completed\"", "fine");
        await()
            .atMost(TIMEOUT)
            .untilAsserted(() ->
                assertThat(List.of(model, issuer, spans, callbacks, hooks, mcp))
                    .allSatisfy(front -> assertThat(front.handshakes()).isPositive()));
        await().atMost(TIMEOUT).until(() -> !collector.spans().isEmpty());
      }
    }
  }

  @Test
  @Rare
  void certificateThatIsNotTrustedFailsATaskAtOnce() throws Exception {
    try (var model = TlsFront.before(url, Certificates.by("known"))) {
      var environment = new HashMap<>(endpoint.environment());
      environment.put("OPENAI_BASE_URL", model.of(url));
      environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
      try (var service = Service.start(home, environment);
          var receiver = new WebhookReceiver()) {
        assertThat(end(service, receiver.url()))
            .contains("\"status\":\"failed\"", "model_tls_failed")
            .contains("its certificate is not trusted", "ERRAND_CA_FILE");
      }
    }
  }

  @Test
  void modelsAndMcpServersAreCalledThroughTheProxy() throws Exception {
    var certificate = Certificates.by("known");
    try (var receiver = new WebhookReceiver();
        var model = TlsFront.before(url, certificate);
        var proxy =
            HttpProxy.to(
                Map.of(
                    "model.example:443", model.port(),
                    "mcp.example:80", URI.create(receiver.url()).getPort()),
                "user:p@ss:word")) {
      var environment = new HashMap<>(endpoint.environment());
      var address = "http://user:p%40ss%3Aword@127.0.0.1:" + proxy.port();
      environment.put("https_proxy", address);
      environment.put("HTTP_PROXY", address);
      environment.put("NO_PROXY", "other.example");
      environment.put("ERRAND_CA_FILE", certificate.pem().toString());
      environment.put("OPENAI_BASE_URL", "https://model.example/v1");
      environment.put("ERRAND_MCP_SERVERS_WEB_URL", "http://mcp.example/mcp");
      environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
      try (var service = Service.start(home, environment)) {
        assertThat(end(service, receiver.url())).contains("\"status\":\"completed\"", "fine");

        await().atMost(TIMEOUT).until(() -> proxy.passed().contains("POST http://mcp.example/mcp"));
        assertThat(proxy.passed()).contains("CONNECT model.example:443");
        assertThat(proxy.refused()).isEmpty();
        assertThat(String.join("\n", service.logged())).doesNotContain("p@ss:word");
      }
    }
  }

  @Test
  void proxyThatCannotBeUsedIsNamedInOneSentence() throws Exception {
    settingThatCannotBeUsedIsOneSentence(
        "HTTPS_PROXY",
        "socks5://u:sk-secret-1234@proxy:1080",
        "HTTPS_PROXY must begin with http://, not with socks5://");
  }

  @Rare
  @ParameterizedTest
  @CsvSource({
    "OPENAI_BASE_URL, http://127.0.0.1:9911/v1#x, OPENAI_BASE_URL (errand.models.openai.base-url) must not have a fragment",
    "ANTHROPIC_API_KEY, Bearer sk-secret-1234, ANTHROPIC_API_KEY (errand.models.anthropic.api-key) must be one word",
    "ERRAND_CA_FILE, /nowhere/ca.pem, ERRAND_CA_FILE=/nowhere/ca.pem cannot be read (no such file)",
  })
  void settingThatCannotBeUsedIsOneSentence(String name, String value, String sentence)
      throws Exception {
    var log = Service.refusal(home, Map.of(name, value));

    assertThat(log.lines().filter(line -> line.contains(sentence))).hasSize(1);
    assertThat(log).doesNotContain("sk-secret-1234").doesNotContain("\tat ");
  }
}
