package dev.errand.egress;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.kit.Certificates;
import dev.errand.kit.TlsFront;
import dev.errand.kit.WebhookReceiver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files with further certificates. */
class TrustedCertificatesTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  /** How a file contains the certificate. */
  enum Form {
    PEM,
    CRLF,
    BYTE_ORDER_MARK,
    WITH_COMMENTS,
    SEVERAL,
    TWICE,
    WITHOUT_LINE_END,
    DER;

    byte[] of(String pem, String other) {
      return switch (this) {
        case PEM -> pem.getBytes();
        case CRLF -> pem.replaceAll("\\R", "\r\n").getBytes();
        case BYTE_ORDER_MARK -> ("\uFEFF" + pem).getBytes();
        case WITH_COMMENTS -> ("# Our authority\n\nSubject: CN=a\n" + pem + "\n# end\n").getBytes();
        case SEVERAL -> (other + "\n\n" + pem).getBytes();
        case TWICE -> (pem + pem).getBytes();
        case WITHOUT_LINE_END -> pem.strip().getBytes();
        case DER -> der(pem);
      };
    }

    private static byte[] der(String pem) {
      return Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", "").strip());
    }
  }

  @ParameterizedTest
  @EnumSource
  void certificatesOfAFileAreTrustedByEachClient(Form form) throws Exception {
    var certificate = Certificates.by("known");
    var other = Files.readString(Certificates.by("unknown").pem());
    var file = folder.resolve("ca");
    Files.write(file, form.of(Files.readString(certificate.pem()), other));

    TrustedCertificates.install(Optional.of(" " + file + "\n"), Optional.empty());

    try (var receiver = new WebhookReceiver();
        var front = TlsFront.before(receiver.url(), certificate)) {
      assertThat(statusByJdk(front.of(receiver.url()))).isEqualTo(200);
      assertThat(statusByChecked(front.of(receiver.url()))).isEqualTo(200);
    }
  }

  @Test
  void certificatesOfTheJdkStayTrusted() throws Exception {
    var before = Certificates.by("known").pem().toString();

    TrustedCertificates.install(Optional.of(before), Optional.empty());

    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init((KeyStore) null);
    var trusted = ((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers();
    assertThat(trusted).hasSizeGreaterThan(50);
    assertThat(Arrays.stream(trusted).map(one -> one.getSubjectX500Principal().getName()))
        .contains("CN=known");
  }

  /** What a file of the operator may contain by mistake. */
  enum Mistake {
    MISSING("no such file"),
    FOLDER("it is a directory"),
    EMPTY("contains no certificate"),
    TEXT("contains something that is not a certificate"),
    CUT("contains something that is not a certificate"),
    KEY("contains something that is not a certificate"),
    NOT_BASE64("contains something that is not a certificate"),
    UTF_16("cert"),
    KEY_STORE("cert");

    final String problem;

    Mistake(String problem) {
      this.problem = problem;
    }

    void make(Path file, Certificates certificate) throws IOException {
      var pem = Files.readString(certificate.pem());
      switch (this) {
        case MISSING -> {}
        case FOLDER -> Files.createDirectory(file);
        case EMPTY -> Files.writeString(file, "");
        case TEXT -> Files.writeString(file, "the certificate of our authority\n");
        case CUT -> Files.writeString(file, pem.substring(0, pem.length() / 2));
        case KEY ->
            Files.writeString(
                file, "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg==\n-----END PRIVATE KEY-----\n");
        case NOT_BASE64 ->
            Files.writeString(file, "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n");
        case UTF_16 -> Files.write(file, ("\uFEFF" + pem).getBytes(UTF_16LE));
        case KEY_STORE -> Files.copy(certificate.keyStore(), file);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void fileThatCannotBeUsedIsRefused(Mistake mistake) throws Exception {
    var file = folder.resolve("ca.pem");
    mistake.make(file, Certificates.by("known"));

    assertThatThrownBy(
            () -> TrustedCertificates.install(Optional.of(file.toString()), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("ERRAND_CA_FILE=" + file + " c")
        .hasMessageContaining(mistake.problem)
        .hasMessageContaining("-----BEGIN CERTIFICATE-----");
  }

  @ParameterizedTest
  @EnumSource
  void bundleOfOtherProgramsThatCannotBeUsedIsReported(Mistake mistake) throws Exception {
    var file = folder.resolve("ca.pem");
    mistake.make(file, Certificates.by("known"));

    assertThat(TrustedCertificates.install(Optional.empty(), Optional.of(file.toString())))
        .hasValueSatisfying(warning ->
            assertThat(warning)
                .startsWith("SSL_CERT_FILE=" + file)
                .endsWith("none of its certificates is used"));
  }

  @Test
  void bundleOfOtherProgramsIsTrusted() throws Exception {
    var certificate = Certificates.by("known");

    var warning =
        TrustedCertificates.install(
            Optional.of(Certificates.by("unknown").pem().toString()),
            Optional.of(certificate.pem().toString()));

    assertThat(warning).isEmpty();
    try (var receiver = new WebhookReceiver();
        var front = TlsFront.before(receiver.url(), certificate)) {
      assertThat(statusByJdk(front.of(receiver.url()))).isEqualTo(200);
    }
  }

  private static int statusByJdk(String url) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
          .statusCode();
    }
  }

  private static int statusByChecked(String url) throws Exception {
    var policy = new EgressPolicy(HostResolver.SYSTEM, new EgressRules(false, true));
    try (var http = new CheckedHttp(policy, new HttpLimits(LIMIT, LIMIT, 2), ProxyUse.DIRECT)) {
      return http.exchange(new HttpGet(url), LIMIT, response -> response.getCode());
    }
  }
}
