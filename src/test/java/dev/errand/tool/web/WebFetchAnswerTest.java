package dev.errand.tool.web;

import static dev.errand.tool.web.OddSite.head;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.web.WebKit.Settings;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of servers: statuses, redirects, encodings. */
class WebFetchAnswerTest {

  private final OddSite site = new OddSite();
  private WebKit kit = new WebKit(Settings.open(site.port()));

  @BeforeEach
  void name() {
    kit.name("site.test", "127.0.0.1");
  }

  @AfterEach
  void close() {
    kit.close();
    site.close();
  }

  @Test
  void errorStatusIsAnErrorWithShortText() {
    site.on(
        "/gone",
        out -> {
          var body = ("<p>It is gone. " + "x".repeat(9_000)).getBytes(UTF_8);
          out.write(head("410 Gone", "Content-Type: text/html", "Content-Length: " + body.length));
          out.write(body);
        });

    var done = kit.fetch(site.url("site.test", "/gone"));

    assertThat(done.isError()).isTrue();
    assertThat(done.text()).contains("Status: HTTP 410\n", "It is gone.").hasSizeLessThan(2_500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"204 No Content", "304 Not Modified", "302 Found"})
  void emptyAnswerIsReported(String status) {
    site.on("/", out -> out.write(head(status)));

    assertThat(kit.fetch(site.url("site.test", "/")).text()).contains("(nothing to read)");
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreFollowedAndTheLastUrlIsShown(int status) {
    site.redirect("/a/b", status, "../c?d").page("/c?d", "text/plain", "here");

    assertThat(fetch("/a/b"))
        .contains("URL: http://site.test:" + site.port() + "/c?d\n")
        .contains("\nhere\n");
    assertThat(site.requests())
        .hasSize(2)
        .allSatisfy(request ->
            assertThat(request)
                .startsWith("GET ")
                .contains("Host: site.test:", "User-Agent: Errand")
                .doesNotContainIgnoringCase("cookie:", "authorization:", "referer:"));
  }

  @Test
  void compressedPageIsDecompressed() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("hello from inside".getBytes(UTF_8));
    }
    site.on(
        "/",
        out -> {
          out.write(
              head(
                  "200 OK",
                  "Content-Type: text/plain",
                  "Content-Encoding: gzip",
                  "Content-Length: " + packed.size()));
          packed.writeTo(out);
        });

    assertThat(fetch("/")).contains("\nhello from inside\n");
  }

  @Test
  void legacyEncodingsAreDecodedAsBrowsersDo() {
    var cyrillic = Charset.forName("windows-1251");
    var western = Charset.forName("windows-1252");
    var xml = "<?xml version=\"1.0\" encoding=\"Windows-1251\"?>";
    var late = "<meta name=x>".repeat(200) + "<!-- <meta charset=utf-8> --><meta charset=cp1251>";
    var http = "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>";
    site.page("/late", "text/html", (late + "<p>Привет").getBytes(cyrillic))
        .page("/http", "text/html", (http + "<p>Привет").getBytes(cyrillic))
        .page("/xhtml", "application/xhtml+xml", (xml + "<p>Привет</p>").getBytes(cyrillic))
        .page("/xml", "application/xml", (xml + "<a>Привет</a>").getBytes(cyrillic))
        .page("/header", "text/html; charset=iso-8859-1", "<p>“5 €”".getBytes(western))
        .page("/meta", "text/html", "<meta charset=us-ascii><p>“5 €”".getBytes(western))
        .page("/none", "text/plain", "“5 €”".getBytes(western))
        .page("/utf8", "text/html", "<meta charset=utf-16><p>“5 €”".getBytes(UTF_8));

    for (var path : new String[] {"/late", "/http", "/xhtml", "/xml"}) {
      assertThat(fetch(path)).as(path).contains("Привет");
    }
    for (var path : new String[] {"/header", "/meta", "/none", "/utf8"}) {
      assertThat(fetch(path)).as(path).contains("\n“5 €”\n");
    }
  }

  @Test
  void failedConnectionIsReportedBriefly() {
    var url = site.url("site.test", "/");
    site.close();

    assertThat(kit.fetch(url).text())
        .isEqualTo("site.test could not be fetched: connection failed.");
  }

  private String fetch(String path) {
    var done = kit.fetch(site.url("site.test", path));
    assertThat(done.isError()).as(done.text()).isFalse();
    return done.text();
  }
}
