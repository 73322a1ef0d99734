package dev.errand.model;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.errand.egress.HostResolver;
import dev.errand.egress.Proxies;
import dev.errand.egress.TrustedCertificates;
import dev.errand.kit.Certificates;
import dev.errand.kit.HttpProxy;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.TlsFront;
import dev.errand.model.ModelException.Code;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Models whose names only the proxy knows. */
class ProxiedModelTest {

  private static final String HTTP = "http://model.example/v1";
  private static final String HTTPS = "https://model.example/v1";
  private static final String LOGIN = "user:p@ss word";

  private final @Nullable ProxySelector before = ProxySelector.getDefault();
  private final StubEndpoint endpoint;
  private final String url;
  private final Map<String, Integer> names;

  ProxiedModelTest() throws IOException {
    endpoint = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("fine"));
    url = requireNonNull(endpoint.environment().get("OPENAI_BASE_URL"));
    names = Map.of("model.example:80", URI.create(url).getPort());
  }

  @AfterEach
  void close() {
    ProxySelector.setDefault(before);
    endpoint.close();
  }

  private static void use(HttpProxy proxy, String login, String none) {
    var address = "http://" + login + "127.0.0.1:" + proxy.port();
    var environment = Map.of("HTTP_PROXY", address, "HTTPS_PROXY", address, "NO_PROXY", none);
    Proxies.install(name -> Optional.ofNullable(environment.get(name)));
  }

  private static String answer(String baseUrl) {
    return model(baseUrl).reply(ProviderContract.ask("Hi.")).text();
  }

  private static ModelException fault(String baseUrl) {
    return catchThrowableOfType(ModelException.class, () -> answer(baseUrl));
  }

  private static LanguageModel model(String baseUrl) {
    return Models.with(Map.of("errand.models.openai.base-url", baseUrl))
        .named("openai:gpt-test", TenantModels.OF_SERVICE);
  }

  @Test
  void plainRequestsHaveTheAbsoluteFormAndTheCredentials() throws Exception {
    try (var proxy = HttpProxy.to(names, LOGIN)) {
      use(proxy, "user:p%40ss%20word@", "");

      assertThat(answer(HTTP)).isEqualTo("fine");
      assertThat(answer(url)).as("this machine is called directly").isEqualTo("fine");

      assertThat(proxy.passed()).containsExactly("POST http://model.example/v1/chat/completions");
      assertThat(proxy.refused()).isEmpty();
      assertThat(endpoint.headers("Proxy-Authorization")).isEmpty();
    }
  }

  @Test
  void tlsIsTunnelled() throws Exception {
    var certificate = Certificates.by("known");
    TrustedCertificates.install(Optional.of(certificate.pem().toString()), Optional.empty());
    try (var front = TlsFront.before(url, certificate);
        var proxy = HttpProxy.to(Map.of("model.example:443", front.port()))) {
      use(proxy, "", "");

      assertThat(answer(HTTPS)).isEqualTo("fine");

      assertThat(proxy.passed()).containsExactly("CONNECT model.example:443");
    }
  }

  @Test
  void wrongCredentialsAreNamed() throws Exception {
    try (var proxy = HttpProxy.to(names, LOGIN)) {
      use(proxy, "user:wrong-password@", "");

      assertThat(List.of(fault(HTTP), fault(HTTPS)))
          .allSatisfy(fault -> {
            assertThat(fault.code()).isEqualTo(Code.MODEL_UNAUTHORIZED);
            assertThat(fault)
                .hasMessageContaining("proxy")
                .hasMessageContaining("HTTPS_PROXY")
                .hasMessageNotContaining("wrong-password");
          });
      assertThat(proxy.passed()).isEmpty();
    }
  }

  @Test
  void proxyThatDoesNotReachTheModelIsNamed() throws Exception {
    try (var proxy = HttpProxy.to(Map.of())) {
      use(proxy, "", "");

      var fault = fault(HTTPS);

      assertThat(fault.code()).isEqualTo(Code.MODEL_UNREACHABLE);
      assertThat(fault)
          .hasMessageEndingWith(
              "cannot be reached through the proxy 127.0.0.1:%d, which answered 502."
                  .formatted(proxy.port()));
    }
  }

  @Test
  void proxyThatIsAwayIsNamed() throws Exception {
    var proxy = HttpProxy.to(Map.of());
    proxy.close();
    use(proxy, "", "");

    var fault = fault(HTTPS);

    assertThat(fault.code()).isEqualTo(Code.MODEL_UNREACHABLE);
    assertThat(fault)
        .hasMessageEndingWith(
            "cannot be reached through the proxy 127.0.0.1:%d.".formatted(proxy.port()));
  }

  @Test
  void modelsOfNoProxyAreCalledDirectly() throws Exception {
    try (var proxy = HttpProxy.to(names)) {
      use(proxy, "", "*.example");

      assertThat(fault(HTTP).code()).isEqualTo(Code.MODEL_UNREACHABLE);
      assertThat(proxy.passed()).isEmpty();
    }
  }

  @Test
  void addressOfATenantIsCheckedAndCalledThroughTheProxy() throws Exception {
    try (var proxy = HttpProxy.to(names, LOGIN)) {
      use(proxy, "user:p%40ss%20word@", "");

      assertThat(ofTenant("93.184.216.34").reply(ProviderContract.ask("Hi.")).text())
          .isEqualTo("fine");
      assertThat(proxy.passed()).containsExactly("POST http://model.example/v1/chat/completions");

      var blocked =
          catchThrowableOfType(
              ModelException.class,
              () -> ofTenant("169.254.169.254").reply(ProviderContract.ask("Hi.")));
      assertThat(blocked.code()).isEqualTo(Code.MODEL_NOT_CONFIGURED);
      assertThat(proxy.passed()).hasSize(1);
    }
  }

  private static LanguageModel ofTenant(String address) {
    HostResolver names = _ -> List.of(InetAddress.ofLiteral(address));
    var config = Models.config(Map.of());
    var own = new ProviderCredentials("sk-own", URI.create(HTTP), null);
    return Models.with(config, new TenantEndpoints(config, true, names))
        .named("openai:gpt-test", new TenantModels(true, null, Map.of("openai", own)));
  }
}
