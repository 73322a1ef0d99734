package dev.errand.tool.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.SessionId;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressRules;
import dev.errand.egress.HostResolver;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolContext.ToolProgress;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolUser;
import dev.errand.tool.web.WebKit.Settings;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Addresses that neither a model nor a page can make the service call: nothing connects to them.
 */
class WebFetchRefusalTest {

  private final OddSite canary = new OddSite().page("/", "text/plain", "inside");
  private final OddSite site = new OddSite();

  @AfterEach
  void noConnectionWasMade() {
    assertThat(canary.connections()).isZero();
    canary.close();
    site.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:PORT/",
        "http://127.0.0.1:PORT#@good.example",
        "http://good@127.0.0.1:PORT/",
        "http://good:word@127.0.0.1:PORT/",
        "http://good\\@127.0.0.1:PORT/",
        "http://127.1:PORT/",
        "http://2130706433:PORT/",
        "http://0x7f000001:PORT/",
        "http://0x7f.0.0.1:PORT/",
        "http://0177.0.0.1:PORT/",
        "http://017700000001:PORT/",
        "http://１２７.0.0.1:PORT/",
        "http://127.0.0.1.:PORT/",
        "http://0.0.0.0:PORT/",
        "http://0:PORT/",
        "http://[::]:PORT/",
        "http://[::1]:PORT/",
        "http://[0:0:0:0:0:0:0:1]:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://[::ffff:7f00:1]:PORT/",
        "http://[::127.0.0.1]:PORT/",
        "http://[64:ff9b::7f00:1]:PORT/",
        "http://[2002:7f00:1::]:PORT/",
        "http://localhost:PORT/",
        "http://localhost.:PORT/",
        "http://LocalHost:PORT/",
        "http://lvh.test:PORT/",
        "http://mixed.test:PORT/",
        "http://169.254.169.254:PORT/latest/meta-data",
        "http://[::ffff:a9fe:a9fe]:PORT/",
        "http://2852039166:PORT/",
        "http://0xa9fea9fe:PORT/",
        "http://[fd00:ec2::254]:PORT/",
        "http://100.100.100.200:PORT/",
        "http://10.0.0.1:PORT/",
        "http://[fe80::1%25eth0]:PORT/",
        "https://127.0.0.1:PORT/",
        "file:///etc/passwd",
        "jar:http://127.0.0.1:PORT/!/x",
        "gopher://127.0.0.1:PORT/",
        "ftp://127.0.0.1:PORT/",
        "data:text/plain,hello",
        "javascript:alert(1)",
        "//127.0.0.1:PORT/",
        "127.0.0.1:PORT",
        "http://good.example:PORT//127.0.0.1:PORT/",
        "http://127.0.0.1:PORT\r\nX: y/",
        "http:\\\\127.0.0.1:PORT\\",
        "http:127.0.0.1:PORT/",
        "http:////127.0.0.1:PORT/",
        "ht\ttp://127.0.\n0.1:PORT/",
        "http://%31%32%37.0.0.1:PORT/",
        "http://127%2e0%2e0%2e1:PORT/",
        "http://127。0。0。1:PORT/",
        "http://①②⑦.0.0.1:PORT/",
        "http://ｌｏｃａｌｈｏｓｔ:PORT/",
        "http://%6cocalhost:PORT/",
        "http://0X7F.1:PORT/",
        "http://lvh.test%2f@good.example:PORT/",
        "http://lvh.test:0PORT/",
        "http://127.0.0.1\u00AD:PORT/",
        "localhost:PORT/x",
        "\\\\127.0.0.1:PORT\\x"
      })
  void privateAddressesAreRefused(String url) {
    try (var kit =
        new WebKit(Settings.open(canary.port()).closed())
            .name("lvh.test", "127.0.0.1")
            .name("mixed.test", "93.184.215.14", "127.0.0.1")) {
      var refused = kit.fetch(url.replace("PORT", Integer.toString(canary.port())));

      assertThat(refused.isError()).isTrue();
      assertThat(refused.text()).startsWith("url: ");
    }
  }

  @Test
  void refusalDoesNotRevealOpenPortsOrNames() {
    try (var kit =
        new WebKit(Settings.open(canary.port(), 1).closed()).name("inside.test", "10.0.0.7")) {
      var open = kit.fetch(canary.url("127.0.0.1", "/"));
      var shut = kit.fetch("http://127.0.0.1:1/");
      var inside = kit.fetch(canary.url("inside.test", "/"));
      var nowhere = kit.fetch(canary.url("nowhere.test", "/"));

      assertThat(open).isEqualTo(shut);
      assertThat(inside.text().replace("inside", "nowhere")).isEqualTo(nowhere.text());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectIsCheckedLikeTheFirstUrl(int status) {
    site.redirect("/", status, canary.url("zero.test", "/"));
    try (var kit =
        new WebKit(Settings.open(site.port(), canary.port()))
            .name("site.test", "127.0.0.1")
            .name("zero.test", "0.0.0.0")) {

      var refused = kit.fetch(site.url("site.test", "/"));

      assertThat(refused.isError()).isTrue();
      assertThat(refused.text()).contains("zero.test is unknown or has addresses");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://0.0.0.0:PORT/",
        "http://[::]:PORT/",
        "//0.0.0.0:PORT/",
        "http://2130706433:PORT/",
        "http://a@0.0.0.0:PORT/",
        "http://mixed.test:PORT/",
        "file:///etc/passwd",
        "jar:http://0.0.0.0:PORT/!/",
        "gopher://0.0.0.0:PORT/",
        "data:text/plain,x",
        "http://[",
        "http://site.test:22/",
        "http://site.test:5432/",
        "\\\\0.0.0.0:PORT\\",
        "http:\\\\0.0.0.0:PORT",
        "http://%30.0.0.0:PORT/",
        "http://０.0.0.0:PORT/",
        "HTTP:0.0.0.0:PORT"
      })
  void redirectToAnInvalidUrlIsRefused(String location) {
    site.redirect("/", 302, location.replace("PORT", Integer.toString(canary.port())));
    try (var kit =
        new WebKit(Settings.open(site.port(), canary.port()))
            .name("site.test", "127.0.0.1")
            .name("mixed.test", "127.0.0.1", "0.0.0.0")) {

      assertThat(kit.fetch(site.url("site.test", "/")).isError()).isTrue();
      assertThat(site.connections()).isEqualTo(1);
    }
  }

  @Test
  void nameWithNewAddressesAtTheNextHopIsRefused() {
    var lookUps = new AtomicInteger();
    HostResolver rebinding =
        _ ->
            List.of(
                InetAddress.ofLiteral(lookUps.getAndIncrement() == 0 ? "127.0.0.1" : "0.0.0.0"));
    site.redirect("/", 302, canary.url("turn.test", "/"));
    try (var kit = new WebKit(Settings.open(site.port(), canary.port()), rebinding)) {

      assertThat(kit.fetch(site.url("turn.test", "/")).isError()).isTrue();
      assertThat(lookUps)
          .as("each hop looks up its name once and connects to that address")
          .hasValue(2);
    }
  }

  @Test
  void redirectFromHttpsToHttpIsNotFollowed() {
    var settings =
        new Settings(
            true,
            List.of(80, 443),
            List.of("*"),
            Optional.empty(),
            false,
            Duration.ofSeconds(1),
            Optional.empty());
    var policy = new EgressPolicy(HostResolver.SYSTEM, new EgressRules(false, false));
    var gate = new UrlGuard(policy, settings, _ -> List.of());
    var caller =
        new ToolContext(
            SessionId.next(),
            1,
            "1.0",
            Path.of("."),
            ToolUser.NOBODY,
            ToolProgress.NONE,
            Permissions.ALL);
    var from = URI.create("https://a.example/x/y?z");

    assertThatThrownBy(() -> gate.follow(from, "http://a.example/", caller))
        .isInstanceOf(ToolFailure.class)
        .hasMessageContaining("from https");
    assertThat(gate.follow(from, "//b.example", caller)).hasToString("https://b.example/");
    assertThat(gate.follow(from, "?q=1", caller)).hasToString("https://a.example/x/y?q=1");
    assertThat(gate.follow(URI.create("http://a.example"), "b c", caller))
        .hasToString("http://a.example/b%20c");
  }
}
