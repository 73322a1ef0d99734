package dev.errand.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.egress.EgressPolicy.HostResolver;
import dev.errand.kit.Certificates;
import dev.errand.kit.TlsFront;
import dev.errand.kit.WebhookReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How both HTTP clients report what is wrong with the TLS of a server. */
class TlsFaultTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  private final WebhookReceiver plain = new WebhookReceiver();

  @AfterEach
  void close() {
    plain.close();
  }

  private void assertReason(TlsFront front, String reason) throws IOException {
    try (front) {
      assertThat(faults(front.of(plain.url())))
          .hasSize(2)
          .allSatisfy(fault ->
              assertThat(fault)
                  .hasValueSatisfying(found -> assertThat(found.reason()).isEqualTo(reason)));
    }
  }

  /** What is read of the faults of the JDK's client and of the checked one. */
  private static List<Optional<TlsFault>> faults(String url) {
    return List.of(TlsFault.in(faultOfJdk(url)), TlsFault.in(faultOfChecked(url)));
  }

  private static Exception faultOfJdk(String url) {
    try (var http = HttpClient.newHttpClient()) {
      var answer =
          http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
      throw new AssertionError("answered " + answer);
    } catch (IOException fault) {
      return fault;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  private static Exception faultOfChecked(String url) {
    var policy = new EgressPolicy(HostResolver.SYSTEM, new EgressPolicy.Rules(false, true));
    try (var http =
        new CheckedHttp(policy, new CheckedHttp.Limits(LIMIT, LIMIT, 2), CheckedHttp.Way.DIRECT)) {
      var status = http.exchange(new HttpGet(url), LIMIT, response -> response.getCode());
      throw new AssertionError("answered " + status);
    } catch (IOException fault) {
      return fault;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  @Test
  void unknownAuthority() throws Exception {
    assertReason(
        TlsFront.before(plain.url(), Certificates.valid(folder)),
        "its certificate is not trusted, because no known certificate authority has issued it");
  }

  @Test
  void expiredCertificate() throws Exception {
    var certificate = Certificates.expired(folder);
    TrustedCertificates.install(Optional.of(certificate.pem().toString()), Optional.empty());

    assertReason(TlsFront.before(plain.url(), certificate), "its certificate has expired");
  }

  @Test
  void certificateOfLater() throws Exception {
    var certificate = Certificates.ofLater(folder);
    TrustedCertificates.install(Optional.of(certificate.pem().toString()), Optional.empty());

    assertReason(TlsFront.before(plain.url(), certificate), "its certificate is not valid yet");
  }

  @Test
  void certificateOfAnotherHost() throws Exception {
    var certificate = Certificates.ofAnotherHost(folder);
    TrustedCertificates.install(Optional.of(certificate.pem().toString()), Optional.empty());

    assertReason(
        TlsFront.before(plain.url(), certificate), "its certificate is for another host name");
  }

  @Test
  void plainServerBehindHttps() throws Exception {
    try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(
          () -> answerAll(server, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));

      assertThat(faults("https://127.0.0.1:" + server.getLocalPort()))
          .allSatisfy(fault ->
              assertThat(fault)
                  .hasValueSatisfying(found ->
                      assertThat(found.reason()).isEqualTo("it does not speak TLS at this port")));
    }
  }

  @Test
  void serverThatWantsACertificate() throws Exception {
    var certificate = Certificates.valid(folder);
    TrustedCertificates.install(Optional.of(certificate.pem().toString()), Optional.empty());

    try (var front = TlsFront.wantingCertificates(plain.url(), certificate)) {
      assertThat(faults(front.of(plain.url())))
          .allSatisfy(fault ->
              assertThat(fault)
                  .hasValueSatisfying(found ->
                      assertThat(found.reason())
                          .matches("it refuses the TLS connection \\(\\w+\\)")));
    }
  }

  /** As during a restart of the server: this passes. */
  @Test
  void connectionThatBreaksIsNoFaultOfTls() throws Exception {
    try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> answerAll(server, ""));

      assertThat(faults("https://127.0.0.1:" + server.getLocalPort()))
          .allSatisfy(fault -> assertThat(fault).isEmpty());
    }
  }

  private static void answerAll(ServerSocket server, String answer) {
    try {
      while (true) {
        try (var connection = server.accept()) {
          var ignored = connection.getInputStream().read(new byte[1 << 14]);
          connection.getOutputStream().write(answer.getBytes());
        }
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }
}
