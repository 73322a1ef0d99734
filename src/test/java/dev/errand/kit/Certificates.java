package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A certificate authority that the JDK does not know, and what it has issued.
 *
 * @param pem a file with its own certificate
 */
public record Certificates(Path keyStore, Path pem) {

  private static final char[] PASSWORD = "changeit".toCharArray();

  /** Making keys and certificates takes seconds. */
  private static final Map<String, Certificates> MADE = new ConcurrentHashMap<>();

  /** What is certified. */
  public enum Kind {
    /** This machine and {@code model.example}. */
    VALID("ip:127.0.0.1,dns:localhost,dns:model.example"),
    EXPIRED("ip:127.0.0.1", "-startdate", "-20d", "-validity", "10"),
    OF_LATER("ip:127.0.0.1", "-startdate", "+20d"),
    OF_ANOTHER_HOST("dns:other.example");

    private final String hosts;
    private final List<String> dates;

    Kind(String hosts, String... dates) {
      this.hosts = hosts;
      this.dates = List.of(dates);
    }
  }

  /** The authority of this name, the same one in the whole process. */
  public static Certificates by(String authority) {
    return MADE.computeIfAbsent(authority, Certificates::make);
  }

  private static Certificates make(String authority) {
    try {
      var folder = Files.createTempDirectory("certificates");
      var made = new Certificates(folder.resolve("keys.p12"), folder.resolve("ca.pem"));
      made.generate(
          "ca", List.of("-dname", "CN=" + authority, "-ext", "bc:c", "-startdate", "-30d"));
      made.keytool("ca", List.of("-exportcert", "-rfc", "-file", made.pem.toString()));
      return made;
    } catch (IOException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private void issue(Kind kind) throws IOException {
    var options = new ArrayList<>(List.of("-dname", "CN=server", "-signer", "ca"));
    options.addAll(List.of("-ext", "san=" + kind.hosts));
    options.addAll(kind.dates);
    generate(kind.name(), options);
  }

  private void generate(String alias, List<String> options) throws IOException {
    var arguments = new ArrayList<>(List.of("-genkeypair", "-keyalg", "EC"));
    arguments.addAll(options);
    keytool(alias, arguments);
  }

  private void keytool(String alias, List<String> arguments) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(arguments);
    command.addAll(List.of("-alias", alias, "-keystore", keyStore.toString()));
    command.addAll(List.of("-storepass", new String(PASSWORD)));
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      var printed = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor()).as(printed).isZero();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  /** The TLS of a server with such a certificate, which is issued when it is first needed. */
  SSLContext server(Kind kind) {
    try {
      var all = issued(kind);
      var one = KeyStore.getInstance("PKCS12");
      one.load(null, null);
      var alias = kind.name();
      one.setKeyEntry(alias, all.getKey(alias, PASSWORD), PASSWORD, all.getCertificateChain(alias));
      var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(one, PASSWORD);
      var context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private KeyStore issued(Kind kind) throws GeneralSecurityException, IOException {
    synchronized (MADE) {
      var all = KeyStore.getInstance(keyStore.toFile(), PASSWORD);
      if (!all.containsAlias(kind.name())) {
        issue(kind);
        all = KeyStore.getInstance(keyStore.toFile(), PASSWORD);
      }
      return all;
    }
  }
}
