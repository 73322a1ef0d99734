package dev.errand.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

  private static final String SENT = "Wed, 21 Oct 2026 07:28:00 GMT";

  @Test
  void secondsAreRead() {
    assertThat(RetryAfter.in(headers("20"))).contains(Duration.ofSeconds(20));
    assertThat(RetryAfter.in(headers("0.5"))).contains(Duration.ofMillis(500));
  }

  @Test
  void dateIsComparedWithTheDateOfTheResponse() {
    assertThat(RetryAfter.in(headers("Wed, 21 Oct 2026 07:28:30 GMT")))
        .contains(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "-5", "NaN", "1e300", "Wed, 21 Oct 2026 07:27:00 GMT", ""})
  void invalidValuesAreIgnored(String value) {
    assertThat(RetryAfter.in(headers(value))).isEmpty();
  }

  @Test
  void missingHeaderIsEmpty() {
    assertThat(RetryAfter.in(HttpHeaders.of(Map.of(), (_, _) -> true))).isEmpty();
  }

  private static HttpHeaders headers(String retryAfter) {
    return HttpHeaders.of(
        Map.of("Retry-After", List.of(retryAfter), "Date", List.of(SENT)), (_, _) -> true);
  }
}
