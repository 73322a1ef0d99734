package dev.errand.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.TaskId;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleUrlTest {

  private final TaskId task = TaskId.next();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://errand.example/console",
        "https://errand.example/console/",
        "HTTPS://errand.example/console//"
      })
  void pageIsBelowTheAddress(String url) {
    assertThat(new ConsoleUrl(Optional.of(url)).page(task))
        .contains("https://errand.example/console/" + task);
  }

  @Test
  void withoutAnAddressThereIsNoPage() {
    assertThat(new ConsoleUrl(Optional.empty()).page(task)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "errand.example/console, must begin with https://",
    "ftp://errand.example/console, must begin with https://",
    "https:///console, must name a host",
    "https://errand.example/console?tenant=one, must not have a query",
    "https://errand.example/console#top, must not have a fragment"
  })
  void addressThatIsNoPageIsRefused(String url, String reason) {
    assertThatThrownBy(() -> new ConsoleUrl(Optional.of(url)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("ERRAND_CONSOLE_URL (errand.console.url) " + reason);
  }
}
