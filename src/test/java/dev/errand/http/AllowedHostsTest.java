package dev.errand.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHostsTest {

  private final AllowedHosts hosts =
      new AllowedHosts(
          "bound.example", List.of("Errand.Example", "errand", "xn--bcher-kva.example"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LocalHost:8080",
        "localhost.",
        "localhost.:8080",
        "localhost:",
        "127.0.0.1",
        "127.0.0.1:8080",
        "127.1.2.3",
        "127.0.0.1.",
        "10.1.2.3:8080",
        "0.0.0.0",
        "192.168.1.7:80",
        "[::1]",
        "[::1]:8080",
        "[::ffff:127.0.0.1]:8080",
        "[FE80::1%25eth0]:8080",
        "[2001:db8::7]",
        "bound.example",
        "bound.example:8080",
        "BOUND.example.",
        "errand.example",
        "ERRAND.EXAMPLE:443",
        "errand",
        "errand:8080",
        "xn--bcher-kva.example"
      })
  void ownNamesAndAddressesAreAllowed(String host) {
    assertThat(hosts.contain(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        ":8080",
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "localhost.evil.example:8080",
        "evil-localhost",
        "localhost..",
        "xlocalhost",
        "app.localhost",
        "127.0.0.1.nip.io",
        "127-0-0-1.evil.example",
        "127.0.0.1.evil.example:8080",
        "1.2.3",
        "2130706433.example",
        "0x7f.1",
        "lvh.me",
        "www.errand.example",
        "errand.example.evil",
        "errand.evil.example",
        "sub.bound.example",
        "localhost:8080:8080",
        "localhost:port",
        "localhost:123456",
        "localhost@evil.example",
        "evil.example@localhost",
        "user:pass@localhost",
        "localhost/evil",
        "localhost#evil",
        "localhost?evil",
        "localhost,evil.example",
        "localhost evil.example",
        "[::1",
        "::1",
        "[::1]x",
        "[::1].evil.example",
        "[evil.example]",
        "[]",
        "[localhost]",
        "http://localhost",
        "ⓛocalhost",
        "１２７.0.0.1",
        "bücher.example",
        "localhost\u0000",
        "localhost\\evil"
      })
  void otherNamesAndWhatOnlyLooksAlikeAreRefused(String host) {
    assertThat(hosts.contain(host)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*", "*.example", "errand.example:8080", "http://errand.example", "a b", ""})
  void configuredNameThatIsNoHostNameIsRefused(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AllowedHosts("localhost", List.of(name)))
        .withMessageContaining("errand.http.allowed-hosts");
  }
}
