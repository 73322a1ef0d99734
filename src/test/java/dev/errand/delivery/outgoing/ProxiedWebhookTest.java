package dev.errand.delivery.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.delivery.outgoing.WebhookSender.PostOutcome;
import dev.errand.egress.Proxies;
import dev.errand.kit.Certificates;
import dev.errand.kit.HttpProxy;
import dev.errand.kit.TlsFront;
import dev.errand.kit.WebhookReceiver;
import dev.errand.outbox.Callback;
import dev.errand.outbox.WebhookSecret;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callbacks and proxies. */
class ProxiedWebhookTest {

  private static final String NAME = "hooks.example";
  private static final String PUBLIC = "93.184.216.34";

  private final @Nullable ProxySelector before = ProxySelector.getDefault();
  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    ProxySelector.setDefault(before);
    receiver.close();
  }

  private HttpProxy proxy() {
    var port = URI.create(receiver.url()).getPort();
    var proxy = HttpProxy.to(Map.of(NAME + ":80", port), "user:password");
    var address = "http://user:password@127.0.0.1:" + proxy.port();
    Proxies.install(name -> name.equals("HTTP_PROXY") ? Optional.of(address) : Optional.empty());
    return proxy;
  }

  private static PostOutcome post(Map<String, String> settings, String url, String address) {
    var config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(WebhookConfig.class)
            .withDefaultValues(settings)
            .build()
            .getConfigMapping(WebhookConfig.class);
    var addresses = new WebhookAddresses(config, _ -> List.of(InetAddress.ofLiteral(address)));
    var sender = new WebhookSender(config, addresses, Clock.systemUTC());
    try {
      var callback = new Callback(URI.create(url), WebhookSecret.random());
      return sender.post(callback, "dlv_1", "{}");
    } finally {
      sender.close();
    }
  }

  @Test
  void settingSendsThemThroughTheProxy() throws Exception {
    try (var proxy = proxy()) {
      var outcome =
          post(Map.of("errand.webhooks.proxy", "true"), "http://" + NAME + "/hook", PUBLIC);

      assertThat(outcome).isInstanceOf(PostOutcome.PostAccepted.class);
      assertThat(proxy.passed()).containsExactly("POST http://hooks.example/hook");
      assertThat(receiver.awaitPosts(1).getFirst().body()).isEqualTo("{}");
    }
  }

  @Test
  void addressIsCheckedBeforeTheProxyIsAsked() throws Exception {
    try (var proxy = proxy()) {
      for (var address : List.of("10.0.0.1", "169.254.169.254", "::1")) {
        var outcome =
            post(Map.of("errand.webhooks.proxy", "true"), "http://" + NAME + "/hook", address);

        assertThat(outcome).isEqualTo(PostOutcome.PostFailed.of("blocked address"));
      }
      assertThat(proxy.passed()).isEmpty();
      assertThat(proxy.refused()).isEmpty();
    }
  }

  @Test
  void withoutTheSettingNoProxyIsUsed() throws Exception {
    try (var proxy = proxy()) {
      var port = URI.create(receiver.url()).getPort();

      var outcome =
          post(
              Map.of("errand.webhooks.allow-private", "true"),
              "http://%s:%d/hook".formatted(NAME, port),
              "127.0.0.1");

      assertThat(outcome).isInstanceOf(PostOutcome.PostAccepted.class);
      assertThat(proxy.passed()).isEmpty();
    }
  }

  @Test
  void certificateThatIsNotTrustedIsRecorded() throws Exception {
    try (var front = TlsFront.before(receiver.url(), Certificates.by("unknown"))) {
      var outcome =
          post(
              Map.of("errand.webhooks.allow-private", "true"),
              front.of(receiver.url()),
              "127.0.0.1");

      assertThat(outcome)
          .isEqualTo(
              PostOutcome.PostFailed.of(
                  "its certificate is not trusted, because no known certificate authority has issued it"));
    }
  }
}
