package dev.errand.model;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.errand.setting.HttpUrl;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where requests arrive for a base URL as people write it. */
class BaseUrlTest {

  @RegisterExtension
  static final WireMockExtension server =
      WireMockExtension.newInstance()
          .options(WireMockConfiguration.options().dynamicPort())
          .build();

  /** The server answers with an error: only the request counts. */
  private static LoggedRequest requestOf(LanguageModels models, String provider, TenantModels own) {
    server.resetAll();
    server.stubFor(any(anyUrl()).willReturn(aResponse().withStatus(418)));
    var fault =
        catchThrowable(() -> models.named(provider + ":m", own).reply(ProviderContract.ask("Hi.")));
    assertThat(fault).isInstanceOf(ModelException.class).hasMessageContaining("418");
    return server.getAllServeEvents().getFirst().getRequest();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "openai | /v1 | /v1/chat/completions",
        "openai | /v1/ | /v1/chat/completions",
        "openai | /v1/// | /v1/chat/completions",
        "openai | /v1? | /v1/chat/completions",
        "openai | /v1/chat/completions | /v1/chat/completions",
        "openai | /v1/chat/completions/ | /v1/chat/completions",
        "openai | /v1/completions | /v1/chat/completions",
        "openai | /v1/responses | /v1/chat/completions",
        "openai | /v1/models | /v1/chat/completions",
        "openai | /V1/Chat/Completions | /V1/chat/completions",
        "openai | /chat/completions | /chat/completions",
        "openai | `` | /v1/chat/completions",
        "openai | / | /v1/chat/completions",
        "openai | /api/v1 | /api/v1/chat/completions",
        "openai | /v1?key=a%20b&x=1 | /v1/chat/completions?key=a%20b&x=1",
        "openai | /?tenant=a | /v1/chat/completions?tenant=a",
        "openai | /openai/deployments/gpt-4o?api-version=2024-10-21 | /openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
        "openai | /openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21 | /openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
        "anthropic | `` | /v1/messages",
        "anthropic | / | /v1/messages",
        "anthropic | /v1 | /v1/messages",
        "anthropic | /v1/ | /v1/messages",
        "anthropic | /v1/messages | /v1/messages",
        "anthropic | /v1/messages/ | /v1/messages",
        "anthropic | /messages | /v1/messages",
        "anthropic | /anthropic | /anthropic/v1/messages",
        "anthropic | /anthropic/v1/messages?beta=true | /anthropic/v1/messages?beta=true",
        "anthropic | /?beta=true | /v1/messages?beta=true",
        "ollama | `` | /api/chat",
        "ollama | / | /api/chat",
        "ollama | /api | /api/chat",
        "ollama | /api/ | /api/chat",
        "ollama | /api/chat | /api/chat",
        "ollama | /api/generate | /api/chat",
        "ollama | /v1 | /api/chat",
        "ollama | /v1/chat/completions | /api/chat",
        "ollama | /ollama | /ollama/api/chat",
        "ollama | /ollama/api/chat?token=x | /ollama/api/chat?token=x",
        "ollama | ?token=x | /api/chat?token=x",
      })
  void requestsArriveWhereTheUrlMeans(String provider, String path, String expected) {
    var url = server.baseUrl() + path;
    var models =
        Models.with(
            Map.of(
                "errand.models.anthropic.api-key",
                "sk-test",
                "errand.models." + provider + ".base-url",
                " \"" + url + "\"\n"));

    assertThat(requestOf(models, provider, TenantModels.OF_SERVICE).getUrl()).isEqualTo(expected);

    var own = new ProviderCredentials("sk-own", HttpUrl.read(url), null);
    var tenant = new TenantModels(true, null, Map.of(provider, own));
    assertThat(requestOf(models, provider, tenant).getUrl()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "openai, http://127.0.0.1:9911/v1#x, must not have a fragment",
    "openai, api.example.com/v1, must begin with https:// or http://",
    "openai, ftp://127.0.0.1/v1, must begin with https:// or http://",
    "openai, https://u:sk-secret@127.0.0.1/v1, must not contain a user name",
    "openai, https://127.0.0.1:99999/v1, must have a port from 1 to 65535",
    "openai, https:///v1, must name a host",
    "openai, https://<resource>.openai.azure.com, must have a host name",
    "anthropic, http://127.0.0.1:9911/v1#x, must not have a fragment",
    "anthropic, localhost:8001, for example http://localhost:8001",
    "anthropic, https://u:sk-secret@127.0.0.1, must not contain a user name",
    "ollama, localhost:11434, for example http://localhost:11434",
    "ollama, http://my_ollama:11434, must have a host name",
    "ollama, http://127.0.0.1:11434/#/, must not have a fragment",
  })
  void urlThatCannotBeUsedStopsTheStart(String provider, String url, String problem) {
    var settings = Map.of("errand.models." + provider + ".base-url", url);
    var name = provider.toUpperCase(Locale.ROOT) + "_BASE_URL";

    assertThatThrownBy(() -> Models.with(settings))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("%s (errand.models.%s.base-url) ".formatted(name, provider))
        .hasMessageContaining(problem)
        .hasMessageNotContaining("sk-secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n", "\"\""})
  void blankValuesCountAsAbsent(String blank) {
    var models =
        Models.with(
            Map.of(
                "errand.models.openai.base-url", blank,
                "errand.models.openai.api-key", blank,
                "errand.models.anthropic.api-key", blank));

    assertThat(models.problem("openai:m", TenantModels.OF_SERVICE)).isPresent();
    assertThat(models.problem("anthropic:m", TenantModels.OF_SERVICE)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sk-key", "sk-key\n", "sk-key\r\n", " sk-key ", "\"sk-key\"", "'sk-key'"})
  void keyIsSentWithoutWhatIsAroundIt(String key) {
    var models =
        Models.with(
            Map.of(
                "errand.models.openai.base-url",
                server.baseUrl(),
                "errand.models.openai.api-key",
                key,
                "errand.models.anthropic.base-url",
                server.baseUrl(),
                "errand.models.anthropic.api-key",
                key));

    assertThat(requestOf(models, "openai", TenantModels.OF_SERVICE).getHeader("Authorization"))
        .isEqualTo("Bearer sk-key");
    assertThat(requestOf(models, "anthropic", TenantModels.OF_SERVICE).getHeader("x-api-key"))
        .isEqualTo("sk-key");
  }

  @ParameterizedTest
  @CsvSource({
    "openai, Bearer sk-secret",
    "openai, sk-sec…ret",
    "anthropic, 'sk-secret\nsk-secret'"
  })
  void keyThatCannotBeSentStopsTheStart(String provider, String key) {
    assertThatThrownBy(() -> Models.with(Map.of("errand.models." + provider + ".api-key", key)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("_API_KEY (errand.models." + provider + ".api-key) must be one word")
        .hasMessageNotContaining("sk-sec");
  }

  @Test
  void azureGetsItsKeyInItsHeader() {
    var models =
        Models.with(
            Map.of(
                "errand.models.openai.base-url",
                server.baseUrl() + "/openai/deployments/gpt-4o?api-version=2024-10-21",
                "errand.models.openai.api-key",
                "azure-key"));

    var request = requestOf(models, "openai", TenantModels.OF_SERVICE);

    assertThat(request.getHeader("api-key")).isEqualTo("azure-key");
    assertThat(request.containsHeader("Authorization")).isFalse();
  }
}
