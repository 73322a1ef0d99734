package dev.errand.egress;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How both HTTP clients report what is wrong with the TLS of a server. */
class TlsFaultTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final WebhookReceiver plain = new WebhookReceiver();

  @AfterEach
  void close() {
    plain.close();
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
    var policy = new EgressPolicy(HostResolver.SYSTEM, new EgressRules(false, true));
    try (var http = new CheckedHttp(policy, new HttpLimits(LIMIT, LIMIT, 2), ProxyUse.DIRECT)) {
      var status = http.exchange(new HttpGet(url), LIMIT, response -> response.getCode());
      throw new AssertionError("answered " + status);
    } catch (IOException fault) {
      return fault;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "unknown | VALID | its certificate is not trusted, because no known certificate authority has issued it",
        "known | EXPIRED | its certificate has expired",
        "known | OF_LATER | its certificate is not valid yet",
        "known | OF_ANOTHER_HOST | its certificate is for another host name"
      })
  void certificateThatIsNotAcceptedIsNamed(String authority, Certificates.Kind kind, String reason)
      throws Exception {
    TrustedCertificates.install(
        Optional.of(Certificates.by("known").pem().toString()), Optional.empty());

    try (var front = TlsFront.before(plain.url(), Certificates.by(authority), kind)) {
      assertThat(faults(front.of(plain.url())))
          .allSatisfy(fault -> assertThat(fault.map(TlsFault::reason)).contains(reason));
    }
  }

  /** The bytes that a server sends in place of a handshake. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 400 Bad Request | it does not speak TLS at this port",
        "SSH-2.0-OpenSSH_9.2 | it does not speak TLS at this port",
        "alert 40 | it refuses the TLS connection (handshake_failure)",
        "alert 70 | it refuses the TLS connection (protocol_version)",
        "alert 112 | it refuses the TLS connection (unrecognized_name)",
        "alert 42 | it refuses the TLS connection (bad_certificate)",
        // These pass, as during a restart of the server.
        "alert 80 |",
        "nothing |"
      })
  void serverWithoutTlsIsNamed(String answer, @Nullable String reason) throws Exception {
    try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> answerAll(server, bytes(answer)));

      assertThat(faults("https://127.0.0.1:" + server.getLocalPort()))
          .allSatisfy(fault ->
              assertThat(fault.map(TlsFault::reason)).isEqualTo(Optional.ofNullable(reason)));
    }
  }

  private static byte[] bytes(String answer) {
    if (answer.equals("nothing")) {
      return new byte[0];
    }
    return answer.startsWith("alert ")
        ? new byte[] {21, 3, 3, 0, 2, 2, Byte.parseByte(answer.substring(6))}
        : (answer + "\r\n\r\n").getBytes(US_ASCII);
  }

  private static void answerAll(ServerSocket server, byte[] answer) {
    try {
      while (true) {
        try (var connection = server.accept()) {
          var ignored = connection.getInputStream().read(new byte[1 << 14]);
          connection.getOutputStream().write(answer);
        }
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }
}
