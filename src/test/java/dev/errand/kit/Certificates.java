package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A certificate with its key that no authority of the JDK has issued.
 *
 * @param pem a file with the certificate
 */
public record Certificates(Path keyStore, Path pem) {

  private static final String PASSWORD = "changeit";

  /** For this machine and for {@code model.example}. */
  public static Certificates valid(Path folder) {
    return make(folder, "valid", "ip:127.0.0.1,dns:localhost,dns:model.example", List.of());
  }

  public static Certificates expired(Path folder) {
    return make(
        folder, "expired", "ip:127.0.0.1", List.of("-startdate", "-20d", "-validity", "10"));
  }

  public static Certificates ofLater(Path folder) {
    return make(folder, "later", "ip:127.0.0.1", List.of("-startdate", "+20d"));
  }

  public static Certificates ofAnotherHost(Path folder) {
    return make(folder, "other", "dns:other.example", List.of());
  }

  private static Certificates make(Path folder, String name, String hosts, List<String> more) {
    var store = folder.resolve(name + ".p12");
    var pem = folder.resolve(name + ".pem");
    var generate =
        new ArrayList<>(
            List.of(
                "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "san=" + hosts));
    generate.addAll(more);
    keytool(store, generate);
    keytool(store, List.of("-exportcert", "-rfc", "-file", pem.toString()));
    return new Certificates(store, pem);
  }

  private static void keytool(Path store, List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(arguments);
    command.addAll(List.of("-alias", "it", "-keystore", store.toString(), "-storepass", PASSWORD));
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      var printed = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor()).as(printed).isZero();
    } catch (IOException fault) {
      throw new IllegalStateException(fault);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  /** The TLS of a server with this certificate. */
  SSLContext server() {
    try (var content = Files.newInputStream(keyStore)) {
      var keys = KeyStore.getInstance("PKCS12");
      keys.load(content, PASSWORD.toCharArray());
      var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD.toCharArray());
      var context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException fault) {
      throw new IllegalStateException(fault);
    }
  }
}
