package dev.errand.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.errand.http.AllowedOrigins.Evidence;
import dev.errand.http.AllowedOrigins.OriginKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedOriginsTest {

  private final AllowedOrigins origins =
      new AllowedOrigins(List.of("https://App.example", "http://localhost:3000"));

  /** An empty column is a header that is not sent. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # programs: no header of a browser
          POST | localhost:8080 |                            |             |          | OWN
          GET  | localhost:8080 |                            |             |          | OWN
          GET  |                |                            |             |          | OWN
          # the service's own pages
          POST | localhost:8080 | http://localhost:8080      | same-origin | cors     | OWN
          POST | localhost:8080 | http://localhost:8080      |             |          | OWN
          GET  | localhost:8080 |                            | same-origin | cors     | OWN
          POST | LOCALHOST:8080 | http://localhost:8080      | same-origin | cors     | OWN
          POST | [::1]:8080     | http://[::1]:8080          | same-origin | cors     | OWN
          POST | 127.0.0.1:8080 | http://127.0.0.1:8080      | same-origin | cors     | OWN
          # behind a proxy that ends TLS
          POST | errand.example | https://errand.example     | same-origin | cors     | OWN
          POST | errand.example:443 | https://errand.example | same-origin | cors     | OWN
          POST | errand.example:80  | http://errand.example  |             |          | OWN
          # addresses typed by the user, bookmarks, links
          GET  | localhost:8080 |                            | none        | navigate | OWN
          GET  | localhost:8080 |                            | cross-site  | navigate | OWN
          GET  | localhost:8080 |                            | same-site   | navigate | OWN
          # allowed origins
          POST | localhost:8080 | https://app.example        | cross-site  | cors     | ALLOWED
          GET  | localhost:8080 | https://app.example        | cross-site  | cors     | ALLOWED
          POST | localhost:8080 | HTTPS://APP.EXAMPLE        |             |          | ALLOWED
          POST | localhost:8080 | http://localhost:3000      | same-site   | cors     | ALLOWED
          # other origins
          POST | localhost:8080 | https://evil.example       | cross-site  | no-cors  | FOREIGN
          POST | localhost:8080 | https://evil.example       |             |          | FOREIGN
          GET  | localhost:8080 | https://evil.example       | cross-site  | cors     | FOREIGN
          GET  | localhost:8080 | https://evil.example       |             |          | FOREIGN
          POST | localhost:8080 | null                       | cross-site  | no-cors  | FOREIGN
          POST | localhost:8080 | null                       |             |          | FOREIGN
          GET  | localhost:8080 | null                       |             |          | FOREIGN
          POST | localhost:8080 | http://localhost:9000      | same-site   | no-cors  | FOREIGN
          POST | localhost:8080 | http://localhost           | same-site   | no-cors  | FOREIGN
          POST | localhost:8080 | http://127.0.0.1:8080      | cross-site  | no-cors  | FOREIGN
          POST | localhost:8080 | https://localhost:8080.evil.example | |          | FOREIGN
          POST | localhost:8080 | http://localhost:8080/     |             |          | FOREIGN
          POST | localhost:8080 | http://localhost:8080@evil.example |  |          | FOREIGN
          POST | localhost:8080 | http://evil.localhost:8080 |             |          | FOREIGN
          POST | localhost:8080 | localhost:8080             |             |          | FOREIGN
          POST | localhost:8080 | file://                    |             |          | FOREIGN
          POST | localhost:8080 | chrome-extension://localhost:8080 |   |          | FOREIGN
          POST | localhost:8080 | http://app.example         | cross-site  | cors     | FOREIGN
          POST | localhost:8080 | https://app.example:8443   | cross-site  | cors     | FOREIGN
          POST | localhost:8080 | https://app.example.evil   | cross-site  | cors     | FOREIGN
          POST | localhost:8080 | https://www.app.example    | cross-site  | cors     | FOREIGN
          POST | localhost:8080 | ''                         |             |          | FOREIGN
          POST |                | http://localhost:8080      |             |          | FOREIGN
          # redirects of other sites, forms and elements without Origin
          POST | localhost:8080 | http://localhost:8080      | cross-site  | no-cors  | FOREIGN
          POST | localhost:8080 |                            | cross-site  | navigate | FOREIGN
          POST | localhost:8080 |                            | same-site   | navigate | FOREIGN
          GET  | localhost:8080 |                            | cross-site  | no-cors  | FOREIGN
          GET  | localhost:8080 |                            | same-site   | no-cors  | FOREIGN
          GET  | localhost:8080 |                            | cross-site  |          | FOREIGN
          GET  | localhost:8080 |                            | unknown     | cors     | FOREIGN
          GET  | localhost:8080 |                            | ''          | cors     | FOREIGN
          """)
  void requestIsOfItsPage(
      String method,
      @Nullable String host,
      @Nullable String origin,
      @Nullable String site,
      @Nullable String mode,
      OriginKind source) {
    var request = new Evidence(method.equals("GET"), list(host), list(origin), site, mode);

    assertThat(origins.source(request)).isEqualTo(source);
  }

  /** One of two origins cannot hide behind the other one. */
  @ParameterizedTest
  @CsvSource({
    "http://localhost:8080, https://evil.example",
    "https://evil.example, http://localhost:8080",
    "https://app.example, https://evil.example"
  })
  void severalOriginsAreForeign(String first, String second) {
    var request =
        new Evidence(false, List.of("localhost:8080"), List.of(first, second), null, null);

    assertThat(origins.source(request)).isEqualTo(OriginKind.FOREIGN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "null",
        "app.example",
        "https://app.example/",
        "https://*.example",
        "ftp://a",
        ""
      })
  void configuredOriginThatIsNoneIsRefused(String origin) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AllowedOrigins(List.of(origin)))
        .withMessageContaining("errand.http.allowed-origins");
  }

  private static List<String> list(@Nullable String value) {
    return value == null ? List.of() : List.of(value);
  }
}
