package dev.errand.tool.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.tool.web.WebKit.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports, hosts and permissions that limit the tool. */
class WebFetchRulesTest {

  private final OddSite canary = new OddSite().page("/", "text/plain", "inside");
  private final OddSite site = new OddSite();

  @AfterEach
  void noConnectionWasMade() {
    assertThat(canary.connections()).isZero();
    canary.close();
    site.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {22, 25, 5432, 8000, 8080})
  void otherPortsAreRefused(int port) {
    try (var kit = new WebKit(Settings.open(80, 443)).name("site.test", "127.0.0.1")) {

      var refused = kit.fetch("http://site.test:" + port + "/");

      assertThat(refused.text()).isEqualTo("url: must have one of the ports [80, 443]");
    }
  }

  @Test
  void formerNameOfTheHostsIsReportedAtTheStartAndNothingIsFetched() {
    var log = Logger.getLogger(WebFetchTool.class.getName());
    var reported = new ArrayList<String>();
    var handler =
        new StreamHandler() {
          @Override
          public void publish(LogRecord line) {
            reported.add(line.getMessage());
          }
        };
    log.addHandler(handler);
    try (var kit = new WebKit(Settings.open(site.port()).renamed());
        var other = new WebKit(Settings.open(site.port()))) {
      other.start();
      assertThat(reported).isEmpty();

      kit.start();

      assertThat(reported)
          .singleElement()
          .asString()
          .contains("errand.tools.webfetch.allow-hosts to errand.tools.webfetch.hosts");
      var refused = kit.fetch(site.url("127.0.0.1", "/"));
      assertThat(refused.isError()).isTrue();
      assertThat(refused.text()).contains("errand.tools.webfetch.hosts");
      assertThat(site.connections()).isZero();
    } finally {
      log.removeHandler(handler);
    }
  }

  @Test
  void hostsCanBeAllowedAndDenied() {
    site.page("/", "text/plain", "hello");
    var settings =
        Settings.open(site.port())
            .hosts(List.of("*.Good.test", "lone.test"), List.of("bad.good.test"));
    try (var kit =
        new WebKit(settings)
            .name("www.good.test", "127.0.0.1")
            .name("www.good.test.", "127.0.0.1")
            .name("lone.test", "127.0.0.1")
            .name("bad.good.test", "127.0.0.1")
            .name("bad.good.test.", "127.0.0.1")
            .name("other.test", "127.0.0.1")) {
      assertThat(List.of("www.good.test", "WWW.good.test.", "lone.test"))
          .allSatisfy(host -> assertThat(kit.fetch(site.url(host, "/")).isError()).isFalse());
      assertThat(List.of("bad.good.test", "BAD.good.test.", "other.test", "good.test", "127.0.0.1"))
          .allSatisfy(host ->
              assertThat(kit.fetch(site.url(host, "/")).text()).endsWith("must not be called"));
    }
  }

  @Test
  void permissionIsCheckedForTheHostOfEachHop() {
    site.redirect("/", 302, site.url("other.test", "/end")).page("/end", "text/plain", "hello");
    var docsOnly =
        Permissions.ALL.narrowedBy(
            List.of(Rule.deny("webfetch"), new Rule("webfetch", "*.docs.test", Rule.Action.ALLOW)));
    try (var kit =
        new WebKit(Settings.open(site.port()))
            .name("a.docs.test", "127.0.0.1")
            .name("A.docs.test", "127.0.0.1")
            .name("other.test", "127.0.0.1")) {
      assertThat(kit.fetch(site.url("A.docs.test", "/end"), docsOnly).isError()).isFalse();
      assertThat(kit.fetch(site.url("a.docs.test", "/end"), docsOnly).isError()).isFalse();
      assertThat(kit.fetch(site.url("other.test", "/end"), docsOnly).text())
          .startsWith("Permission denied: this session may not use webfetch on other.test: denied");
      assertThat(kit.fetch(site.url("a.docs.test", "/"), docsOnly).text())
          .contains("redirects")
          .contains("Permission denied: this session may not use webfetch on other.test: denied");
    }
  }

  @Test
  void disabledToolIsNotOfferedAndSaysHowToEnableIt() {
    try (var kit = new WebKit(Settings.open(canary.port()).off())) {
      assertThat(kit.isOffered()).isFalse();
      assertThat(kit.fetch(canary.url("127.0.0.1", "/")).text())
          .contains("errand.tools.webfetch.enabled=true");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Read http://good.test/a?b, please.",
        "look at GOOD.test.",
        "(good.test)",
        "https://good.test:443/x and more"
      })
  void hostThatTheUserNamedIsFetched(String said) {
    site.page("/", "text/plain", "hello")
        .redirect("/away", 302, "http://evil.test:" + site.port() + "/");
    var settings = Settings.open(site.port()).hosts(List.of("named", "*.docs.test"), List.of());
    try (var kit =
        new WebKit(settings)
            .name("good.test", "127.0.0.1")
            .name("www.docs.test", "127.0.0.1")
            .name("evil.test", "127.0.0.1")) {
      assertThat(kit.fetch(site.url("good.test", "/")).isError()).isTrue();
      assertThat(kit.fetch(site.url("www.docs.test", "/")).isError()).isFalse();

      kit.said(said);

      assertThat(kit.fetch(site.url("good.test", "/")).isError()).isFalse();
      assertThat(kit.fetch(site.url("good.test", "/away")).text())
          .contains("redirects to a URL that must not be called")
          .contains("no message of the user names it");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "notgood.test",
        "good.test.evil.test",
        "www.good.test",
        "good-test",
        "good.testing",
        "user@mail.good.test",
        "x-good.test"
      })
  void hostThatTheUserDidNotNameIsRefused(String said) {
    var settings = Settings.open(site.port()).hosts(List.of("named"), List.of());
    try (var kit = new WebKit(settings).name("good.test", "127.0.0.1").said(said)) {
      assertThat(kit.fetch(site.url("good.test", "/")).text())
          .isEqualTo(
              "url: the host good.test must not be called, because no message of the user names it;"
                  + " ask the user for it");
      assertThat(site.connections()).isZero();
    }
  }
}
