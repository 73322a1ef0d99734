package dev.errand.tool.web;

import static dev.errand.tool.web.OddSite.head;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import dev.errand.tool.web.WebKit.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits on what a server can cost the service. */
class WebFetchLimitsTest {

  private static final Duration SHORT = Duration.ofMillis(700);
  private static final byte[] PIECE = "x".repeat(64 << 10).getBytes(UTF_8);

  private final OddSite site = new OddSite();
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void close() {
    over.countDown();
    site.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "text/html"})
  void onlyTheBeginningOfAnEndlessBodyIsRead(String type) {
    var written = new AtomicLong();
    site.on(
        "/",
        out -> {
          out.write(head("200 OK", "Content-Type: " + type, "Content-Length: 10000000000"));
          for (var left = 10_000_000_000L; left > 0; left -= PIECE.length) {
            out.write(PIECE);
            written.addAndGet(PIECE.length);
          }
        });

    var done = fetch(Settings.open(site.port()));

    assertThat(done.isError()).isFalse();
    assertThat(done.text())
        .endsWith("(The page is longer; this is its beginning.)")
        .hasSizeLessThan(6_000);
    assertThat(written).hasValueLessThan(20_000_000);
  }

  @Test
  void slowBodyEndsAtTheTimeLimit() {
    site.on(
        "/",
        out -> {
          out.write(head("200 OK", "Content-Type: text/plain", "Content-Length: 100000"));
          do {
            out.write('x');
            out.flush();
          } while (!over.await(50, TimeUnit.MILLISECONDS));
        });

    assertTimedOut();
  }

  @Test
  void slowHeadEndsAtTheTimeLimit() {
    site.on(
        "/",
        out -> {
          do {
            out.write("HTTP/1.1 103 Early Hints\r\n\r\n".getBytes(UTF_8));
            out.flush();
          } while (!over.await(50, TimeUnit.MILLISECONDS));
        });

    assertTimedOut();
  }

  @Test
  void silentServerEndsAtTheTimeLimit() {
    site.on("/", _ -> over.await());

    assertTimedOut();
  }

  @Test
  void redirectsShareTheTimeLimit() {
    site.on(
        "/",
        out -> {
          over.await(300, TimeUnit.MILLISECONDS);
          out.write(head("302 Found", "Location: /", "Content-Length: 0"));
        });

    assertTimedOut();
  }

  private void assertTimedOut() {
    var begun = System.nanoTime();

    var done = fetch(Settings.open(site.port()).within(SHORT));

    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(60));
    assertThat(done.isError()).isTrue();
    assertThat(done.text()).contains("did not answer completely");
  }

  @Test
  void gzipBombIsDecompressedOnlyUpToTheLimit() throws IOException {
    var bomb = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bomb)) {
      for (int piece = 0; piece < 3_000; piece++) {
        gzip.write(PIECE);
      }
    }
    packed(bomb.toByteArray());

    var done = fetch(Settings.open(site.port()));

    assertThat(done.isError()).isFalse();
    assertThat(done.text())
        .contains("xxxx")
        .endsWith("(The page is longer; this is its beginning.)");
  }

  @Test
  void gzipWithManyEmptyPartsIsAnError() throws IOException {
    var empty = new ByteArrayOutputStream();
    new GZIPOutputStream(empty).close();
    var parts = new ByteArrayOutputStream();
    for (int part = 0; part < 200_000; part++) {
      empty.writeTo(parts);
    }
    packed(parts.toByteArray());

    assertThat(fetch(Settings.open(site.port())).text()).isNotEmpty();
  }

  @Test
  void damagedGzipIsAnError() {
    packed("this is no gzip".getBytes(UTF_8));

    assertThat(fetch(Settings.open(site.port())).text()).contains("damaged gzip data");
  }

  @Test
  void unknownEncodingIsAnError() {
    site.on(
        "/",
        out ->
            out.write(
                head(
                    "200 OK",
                    "Content-Type: text/plain",
                    "Content-Encoding: br",
                    "Content-Length: 0")));

    assertThat(fetch(Settings.open(site.port())).text()).contains("an unknown content encoding");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "X: y\r\n"})
  void endlessHeadIsAnError(String unit) {
    var written = new AtomicLong();
    var piece = unit.repeat(10_000).getBytes(UTF_8);
    site.on(
        "/",
        out -> {
          out.write("HTTP/1.1 200 OK\r\nX: ".getBytes(UTF_8));
          for (var left = 200_000_000; left > 0; left -= piece.length) {
            out.write(piece);
            written.addAndGet(piece.length);
          }
        });

    var done = fetch(Settings.open(site.port()));

    assertThat(done.isError()).isTrue();
    assertThat(done.text()).endsWith("could not be fetched: headers longer than 64 KiB.");
    assertThat(written).hasValueLessThan(20_000_000);
  }

  /** Answers with this many headers of this many bytes, with their line ends. */
  @ParameterizedTest
  @CsvSource({
    "1, 17000",
    "1, 20000",
    "1, 32768",
    "1, 65000",
    "4, 16000",
    "60, 1000",
    "101, 100",
    "600, 100",
    "3000, 20",
    "8000, 8",
    "1, 80000",
    "10, 16000",
    "800, 100",
    "20000, 8"
  })
  void headersOf64KibAreRead(int count, int bytes) {
    site.on(
        "/",
        out -> {
          var header = "X: %s\r\n".formatted("x".repeat(bytes - 5)).getBytes(UTF_8);
          out.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n".getBytes(UTF_8));
          for (int i = 0; i < count; i++) {
            out.write(header);
          }
          out.write("Connection: close\r\n\r\n<p>PAGE-OK\n".getBytes(UTF_8));
        });

    var text = fetch(Settings.open(site.port())).text();

    if (count * bytes <= 65_000) {
      assertThat(text).contains("\nPAGE-OK\n");
    } else {
      assertThat(text).endsWith("could not be fetched: headers longer than 64 KiB.");
    }
  }

  @Test
  void endlessRedirectsAreAnError() {
    for (int hop = 0; hop < 20; hop++) {
      site.redirect("/" + (hop == 0 ? "" : hop), 302, "/" + (hop == 19 ? "" : hop + 1));
    }

    assertThat(fetch(Settings.open(site.port())).text())
        .isEqualTo("The page redirects more than 5 times.");
    assertThat(site.requests()).hasSize(6);
  }

  @Test
  void slowParsingEndsAtTheTimeLimit() {
    site.page("/", "text/html", "<b><p>".repeat(33_000));

    assertThat(fetch(Settings.open(site.port())).text()).isNotEmpty();
  }

  @Test
  void interruptEndsTheCall() throws Exception {
    var asked = new CountDownLatch(1);
    site.on(
        "/",
        _ -> {
          asked.countDown();
          over.await();
        });
    var outcome = new CompletableFuture<ToolOutcome.Done>();
    var caller =
        Thread.ofVirtual().start(() -> outcome.complete(fetch(Settings.open(site.port()))));
    asked.await();

    caller.interrupt();

    assertThat(outcome.get(60, TimeUnit.SECONDS))
        .isEqualTo(ToolOutcome.error("The call was interrupted."));
  }

  private void packed(byte[] body) {
    site.on(
        "/",
        out -> {
          out.write(
              head(
                  "200 OK",
                  "Content-Type: text/plain",
                  "Content-Encoding: gzip",
                  "Content-Length: " + body.length));
          out.write(body);
        });
  }

  private ToolOutcome.Done fetch(Settings settings) {
    try (var kit = new WebKit(settings)) {
      return kit.fetch(site.url("127.0.0.1", "/"));
    }
  }
}
