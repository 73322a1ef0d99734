package dev.errand.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.secret.Secrets;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests go through which proxy. */
class ProxiesTest {

  private static final URI TARGET = URI.create("https://api.example.com/v1");

  private final @Nullable ProxySelector before = ProxySelector.getDefault();

  @AfterEach
  void restore() {
    ProxySelector.setDefault(before);
  }

  private static Function<String, Optional<String>> environment(Map<String, String> variables) {
    return name -> Optional.ofNullable(variables.get(name));
  }

  private static void install(String... namesAndValues) {
    var variables = new HashMap<String, String>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      variables.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    Proxies.install(environment(variables));
  }

  private static String way(String url) {
    return Proxies.way(URI.create(url));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://proxy.example:3128 | proxy.example:3128",
        "HTTP://proxy.example:3128/ | proxy.example:3128",
        "proxy.example:3128 | proxy.example:3128",
        "' http://proxy.example:3128 ' | proxy.example:3128",
        "\"http://proxy.example:3128\" | proxy.example:3128",
        "http://proxy.example | proxy.example:80",
        "http://10.0.0.1:8080 | 10.0.0.1:8080",
        "http://[fd00::1]:3128 | [fd00::1]:3128",
        "http://my_proxy:3128 | my_proxy:3128",
        "http://user:password1@proxy.example:3128 | proxy.example:3128",
        "http://user@proxy.example:3128 | proxy.example:3128",
        "http://dom%5Cuser:p%40ssw%3Ard1@proxy.example:3128 | proxy.example:3128",
        "http://user:p@ssword1@proxy.example:3128 | proxy.example:3128",
      })
  void proxyIsReadAsMeant(String value, String proxy) {
    install("HTTPS_PROXY", value);

    assertThat(way("https://api.example.com/v1")).isEqualTo(" through the proxy " + proxy);
    assertThat(way("http://api.example.com/v1")).isEmpty();
    assertThat(ProxySelector.getDefault().select(TARGET).getFirst().address().toString())
        .contains(proxy.replaceAll("[\\[\\]]", "").replaceFirst(":\\d+$", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://user:password1@proxy.example:3128",
        "socks5://user:password1@proxy.example:1080",
        "socks5h://proxy.example",
        "ftp://proxy.example",
        "http://user:password1@proxy.example:99999",
        "http://user:password1@proxy.example:0",
        "http://user:password1@proxy.example:port",
        "http://user:pass/password1@proxy.example:3128",
        "http://user:password1%zz@proxy.example:3128",
        "http://",
        "http://user:password1@",
        "http://proxy.example:3128/path",
        "http://proxy example:3128",
      })
  void proxyThatCannotBeUsedIsRefused(String value) {
    assertThatThrownBy(() -> install("HTTPS_PROXY", value))
        .hasMessageStartingWith("HTTPS_PROXY ")
        .hasMessageNotContaining("password1")
        .hasNoCause();
    assertThatThrownBy(() -> install("http_proxy", value)).hasMessageStartingWith("HTTP_PROXY ");
  }

  @Test
  void credentialsAreSentAndMasked() {
    install("HTTPS_PROXY", "http://user:p%40ssword-of-proxy@proxy.example:3128");

    var header = Proxies.authorization(TARGET).orElseThrow();

    assertThat(header).isEqualTo("Basic dXNlcjpwQHNzd29yZC1vZi1wcm94eQ==");
    assertThat(Secrets.masked("with p@ssword-of-proxy and " + header))
        .isEqualTo("with *** and Basic ***");
    assertThat(Proxies.authorization(URI.create("http://api.example.com"))).isEmpty();
  }

  @Test
  void eachSchemeHasItsProxyAndLowerCaseWins() {
    install(
        "HTTPS_PROXY",
        "http://upper:1",
        "https_proxy",
        "http://lower:2",
        "HTTP_PROXY",
        "http://plain:3");

    assertThat(way("https://api.example.com")).endsWith("lower:2");
    assertThat(way("http://api.example.com")).endsWith("plain:3");
    assertThat(way("HTTP://api.example.com")).endsWith("plain:3");
  }

  @Test
  void nothingIsChangedWithoutAProxy() {
    install("HTTPS_PROXY", " ", "NO_PROXY", "*");

    assertThat(ProxySelector.getDefault()).isSameAs(before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // names, with those below them
        "example.com | api.example.com | true",
        "example.com | example.com | true",
        "example.com | notexample.com | false",
        "example.com | example.com.evil.test | false",
        ".example.com | api.example.com | true",
        ".example.com | example.com | true",
        "*.example.com | api.example.com | true",
        "*.example.com | a.b.example.com | true",
        "*.example.com | notexample.com | false",
        "EXAMPLE.com | API.Example.COM | true",
        "example.com. | api.example.com | true",
        "example.com | api.example.com. | true",
        "svc,.cluster.local | errand.svc | true",
        "svc,.cluster.local | db.svc.cluster.local | true",
        "internal | internal | true",
        // lists
        "a.test, example.com ,b.test | example.com | true",
        "a.test example.com | example.com | true",
        ",, | example.com | false",
        "* | api.example.com | true",
        "a.test,* | api.example.com | true",
        // ports
        "example.com:8443 | example.com:8443 | true",
        "example.com:8443 | example.com | false",
        "example.com:443 | example.com | true",
        "10.0.0.1:80 | 10.0.0.1:80 | true",
        "10.0.0.1:80 | 10.0.0.1:81 | false",
        "[fd00::1]:8443 | [fd00::1]:8443 | true",
        "[fd00::1]:8443 | [fd00::1] | false",
        // addresses and blocks
        "10.0.0.1 | 10.0.0.1 | true",
        "10.0.0.1 | 10.0.0.11 | false",
        "10.0.0.0/8 | 10.200.0.1 | true",
        "10.0.0.0/8 | 11.0.0.1 | false",
        "192.168.1.0/24 | 192.168.2.1 | false",
        "fd00::/8 | [fd12::1] | true",
        "fd00::1 | [fd00:0::1] | true",
        "[fd00::1] | [fd00::1] | true",
        "10.0.0.0/8 | api.example.com | false",
        "10.0.0.0/99 | 10.0.0.1 | false",
        "10.0.0.0/x | 10.0.0.1 | false",
        "nonsense/8 | 10.0.0.1 | false",
        // this machine
        "a.test | localhost | true",
        "a.test | model.localhost | true",
        "a.test | 127.0.0.1:11434 | true",
        "a.test | 127.1.2.3 | true",
        "a.test | [::1]:11434 | true",
        "a.test | 0.0.0.0:11434 | true",
        "a.test | localhost.example.com | false",
      })
  void listNamesWhatIsCalledDirectly(String list, String host, boolean isDirect) {
    install("HTTPS_PROXY", "proxy.example:3128", "no_proxy", list);

    assertThat(way("https://" + host + "/v1").isEmpty()).isEqualTo(isDirect);
  }

  @Test
  void otherProtocolsAreUnchanged() {
    install("HTTPS_PROXY", "proxy.example:3128");

    assertThat(ProxySelector.getDefault().select(URI.create("socket://db.example.com:5432")))
        .containsExactly(Proxy.NO_PROXY);
  }
}
