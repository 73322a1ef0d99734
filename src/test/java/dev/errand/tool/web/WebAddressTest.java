package dev.errand.tool.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.web.WebKit.Settings;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses as models and pages write them. */
class WebAddressTest {

  private final OddSite site = new OddSite();

  @AfterEach
  void close() {
    site.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\u0001',
      value = {
        "http://a.example/css?family=Lato:400|Roboto+Slab ~ http://a.example/css?family=Lato:400%7CRoboto+Slab",
        "http://a.example/a b ~ http://a.example/a%20b",
        "http://a.example/x?q={1} ~ http://a.example/x?q=%7B1%7D",
        "http://a.example/{id}/x|y ~ http://a.example/%7Bid%7D/x%7Cy",
        "http://a.example/\"<x>\"`^ ~ http://a.example/%22%3Cx%3E%22%60%5E",
        "http://a.example/?q=\"<x>\"`^' ~ http://a.example/?q=%22%3Cx%3E%22%60%5E%27",
        "http://a.example/größe/日本?q=ü ~ http://a.example/gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC?q=%C3%BC",
        "http://a.example/😀 ~ http://a.example/%F0%9F%98%80",
        "http://a.example/100%/x?y=5% ~ http://a.example/100%25/x?y=5%25",
        "http://a.example/%zz?%4 ~ http://a.example/%25zz?%254",
        "http://a.example/a%20b%7C%c3%a9?q=%7B ~ http://a.example/a%20b%7C%c3%a9?q=%7B",
        "http://a.example/a[1]?b[]=2 ~ http://a.example/a%5B1%5D?b[]=2",
        "http://a.example/wiki/A_(b) ~ http://a.example/wiki/A_(b)",
        "http://a.example/a;b=c,d@e:f!$&'*+= ~ http://a.example/a;b=c,d@e:f!$&'*+=",
        "HTTP://A.Example/Path ~ http://a.example/Path",
        "https://a.example:443/x ~ https://a.example/x",
        "http://a.example:80 ~ http://a.example/",
        "http://a.example:/x ~ http://a.example/x",
        "http://a.example:08080/x ~ http://a.example:8080/x",
        "https://a.example:80/ ~ https://a.example:80/",
        "https://a.example ~ https://a.example/",
        "https://a.example?x ~ https://a.example/?x",
        "https://a.example#top ~ https://a.example/",
        "https://a.example/x#a#b?c ~ https://a.example/x",
        "https://a.example/x?y#z ~ https://a.example/x?y",
        "https:\\\\a.example\\x\\y?a\\b ~ https://a.example/x/y?a%5Cb",
        "https:/a.example/x ~ https://a.example/x",
        "https:a.example/x ~ https://a.example/x",
        "https:////a.example/x ~ https://a.example/x",
        "//a.example/x ~ https://a.example/x",
        "a.example/x y ~ https://a.example/x%20y",
        "a.example:8080/x ~ https://a.example:8080/x",
        "a.example ~ https://a.example/",
        "localhost:8080 ~ https://localhost:8080/",
        "https://a.example/a/../b/./c/.. ~ https://a.example/b/",
        "https://a.example/../../x/. ~ https://a.example/x/",
        "https://a.example/a/%2e%2E/b/%2e ~ https://a.example/b/",
        "https://a.example//a//b ~ https://a.example//a//b",
        "https://a.example/... ~ https://a.example/...",
        "https://bücher.example/ ~ https://xn--bcher-kva.example/",
        "https://BÜCHER.example/ ~ https://xn--bcher-kva.example/",
        "https://straße.example/ ~ https://xn--strae-oqa.example/",
        "https://faß.de ~ https://xn--fa-hia.de/",
        "https://βόλος.com ~ https://xn--nxasmm1c.com/",
        "https://日本語.jp/ ~ https://xn--wgv71a119e.jp/",
        "https://💩.la/ ~ https://xn--ls8h.la/",
        "https://пример.рф/ ~ https://xn--e1afmkfd.xn--p1ai/",
        "https://xn--bcher-kva.example/ ~ https://xn--bcher-kva.example/",
        "https://ｅｘａｍｐｌｅ．com/ ~ https://example.com/",
        "https://ex%61mple.com/ ~ https://example.com/",
        "http://１２７.0.0.1/ ~ http://127.0.0.1/",
        "http://127。0。0。1/ ~ http://127.0.0.1/",
        "http://127.1/ ~ http://127.1/",
        "http://0x7F000001/ ~ http://0x7f000001/",
        "http://[::1]:8080/ ~ http://[::1]:8080/",
        "https://a@b@c.example/ ~ https://user@c.example/",
        "https://evil.example%2f.good.example/ ~ https:///",
        "https://a%00b.example/ ~ https:///",
        "https://a b.example/ ~ https:///",
        "/css?a ~ /css?a",
        "file:///etc/passwd ~ file:///etc/passwd",
        "javascript:alert(1) ~ javascript:alert(1)",
        "someone@a.example ~ someone@a.example",
      })
  void textIsReadAsInABrowser(String text, String url) {
    assertThat(WebAddress.of(text)).isEqualTo(url);
    assertThat(WebAddress.of(url)).as("again").isEqualTo(url);
  }

  @Test
  void whiteSpaceAroundAndLineEndsWithinAreRemoved() {
    assertThat(WebAddress.of(" \t\u0000https://a.exa\nmple/x\r\n/y z \u001F\n"))
        .isEqualTo("https://a.example/x/y%20z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\u0001',
      value = {
        "http://b.example/x y ~ http://b.example/x%20y",
        "//b.example ~ https://b.example/",
        "\\\\b.example\\x ~ https://b.example/x",
        "/x|y ~ https://a.example:8443/x%7Cy",
        "\\x ~ https://a.example:8443/x",
        "x/../{1} ~ https://a.example:8443/d/%7B1%7D",
        "../x ~ https://a.example:8443/x",
        "../../../x ~ https://a.example:8443/x",
        "./ ~ https://a.example:8443/d/",
        "?q=a b ~ https://a.example:8443/d/p?q=a%20b",
        "#top ~ https://a.example:8443/d/p?k=v",
        "x#top ~ https://a.example:8443/d/x",
        "b.example/x ~ https://a.example:8443/d/b.example/x",
        "/größe ~ https://a.example:8443/gr%C3%B6%C3%9Fe",
        "/100% ~ https://a.example:8443/100%25",
        "HTTPS://B.example:443/ ~ https://b.example/",
        "data:text/plain,x ~ data:text/plain,x",
      })
  void targetOfARedirectIsReadAsInABrowser(String location, String url) {
    var from = URI.create("https://a.example:8443/d/p?k=v");

    assertThat(WebAddress.resolve(from, location)).isEqualTo(url);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "/css?family=Lato:400|Roboto+Slab ~ /css?family=Lato:400%7CRoboto+Slab",
        "/a b ~ /a%20b",
        "/x?q={1} ~ /x?q=%7B1%7D",
        "//a//b ~ //a//b",
        "/größe?ü ~ /gr%C3%B6%C3%9Fe?%C3%BC",
        "/a#b ~ /a",
      })
  void serverReceivesTheEncodedPath(String path, String requested) {
    site.page(requested, "text/plain", "here")
        .redirect("/from", 302, "http://site.test:" + site.port() + path);
    try (var kit = new WebKit(Settings.open(site.port())).name("site.test", "127.0.0.1")) {
      assertThat(kit.fetch(site.url("site.test", path)).text()).contains("\nhere\n");
      assertThat(kit.fetch(site.url("site.test", "/from")).text()).contains("\nhere\n");
    }
  }

  @Test
  void rawBytesInARedirectAreUtf8OrLatin1() {
    site.page("/gr%C3%BCn", "text/plain", "here")
        .redirect("/utf8", 301, "/grün")
        .on(
            "/latin1",
            out -> {
              out.write("HTTP/1.1 301 Moved\r\nLocation: /gr".getBytes(US_ASCII));
              out.write(0xFC);
              out.write("n\r\n\r\n".getBytes(US_ASCII));
            });
    try (var kit = new WebKit(Settings.open(site.port())).name("site.test", "127.0.0.1")) {
      assertThat(kit.fetch(site.url("site.test", "/utf8")).text()).contains("\nhere\n");
      assertThat(kit.fetch(site.url("site.test", "/latin1")).text()).contains("\nhere\n");
    }
  }

  @Test
  void rulesAndTheConnectionSeeTheSameHost() {
    site.page("/", "text/plain", "here");
    var settings = Settings.open(site.port());
    try (var kit =
        new WebKit(settings.hosts(List.of("*"), List.of("Bücher.test")))
            .name("xn--bcher-kva.test", "127.0.0.1")
            .name("xn--strae-oqa.test", "127.0.0.1")) {
      assertThat(kit.fetch(site.url("BÜCHER.test", "/")).text())
          .isEqualTo("url: the host xn--bcher-kva.test must not be called");
      assertThat(kit.fetch(site.url("straße.test", "/")).text())
          .contains("URL: http://xn--strae-oqa.test:");
    }
    assertThat(site.requests()).hasSize(1).first().asString().contains("Host: xn--strae-oqa.test:");
  }
}
