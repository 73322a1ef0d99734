package dev.errand.egress;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.TrustManagerFactorySpi;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that are trusted in addition to those of the JDK. They become part of what the
 * process trusts by default, so that they apply to each client: that of the JDK, Apache's, and
 * Vert.x with the clients of Quarkus.
 */
public final class TrustedCertificates {

  private static final String ALGORITHM = "Errand";
  private static final String OF_JDK = "PKIX";
  private static final String DEFAULT_ALGORITHM = "ssl.TrustManagerFactory.algorithm";

  private TrustedCertificates() {}

  /**
   * Trusts the certificates of these files from now on. Called before the first TLS connection.
   *
   * @param own the file of the operator, PEM or DER, with one certificate or several
   * @param bundle {@code SSL_CERT_FILE}, which may be set for other programs, so that one that
   *     cannot be read does not stop the start
   * @return a sentence about a bundle that cannot be read
   * @throws IllegalArgumentException the operator's file cannot be used; the message is a sentence
   */
  public static Optional<String> install(Optional<String> own, Optional<String> bundle) {
    var trusted = new ArrayList<Certificate>();
    own.ifPresent(file -> trusted.addAll(read("ERRAND_CA_FILE", file)));
    var warning = bundle.flatMap(file -> addTo(trusted, file));
    if (!trusted.isEmpty()) {
      trust(trusted);
    }
    return warning;
  }

  private static Optional<String> addTo(List<Certificate> trusted, String bundle) {
    try {
      trusted.addAll(read("SSL_CERT_FILE", bundle));
      return Optional.empty();
    } catch (IllegalArgumentException unreadable) {
      return Optional.of(unreadable.getMessage() + "; none of its certificates is used");
    }
  }

  /** Returns the certificates in a file; at least one. */
  static Collection<? extends Certificate> read(String setting, String file) {
    try {
      var content = new ByteArrayInputStream(Files.readAllBytes(Path.of(file.strip())));
      var certificates = CertificateFactory.getInstance("X.509").generateCertificates(content);
      if (certificates.isEmpty()) {
        throw refused(setting, file, "contains no certificate");
      }
      return certificates;
    } catch (IOException unreadable) {
      throw refused(setting, file, "cannot be read (" + why(Path.of(file.strip())) + ")");
    } catch (CertificateException malformed) {
      throw refused(setting, file, "contains something that is not a certificate");
    }
  }

  private static String why(Path file) {
    if (Files.isDirectory(file)) {
      return "it is a directory";
    }
    return Files.exists(file) ? "permission denied" : "no such file";
  }

  private static IllegalArgumentException refused(String setting, String file, String problem) {
    return new IllegalArgumentException(
        "%s=%s %s: it must be a file with the certificates of authorities in PEM form, -----BEGIN CERTIFICATE-----"
            .formatted(setting, file.strip(), problem));
  }

  private static void trust(Collection<Certificate> further) {
    try {
      var all = KeyStore.getInstance("PKCS12");
      all.load(null, null);
      for (var certificate : ofJdk()) {
        all.setCertificateEntry("jdk" + all.size(), certificate);
      }
      for (var certificate : further) {
        all.setCertificateEntry("further" + all.size(), certificate);
      }
      Security.removeProvider(ALGORITHM);
      Security.addProvider(new Trust(all));
      Security.setProperty(DEFAULT_ALGORITHM, ALGORITHM);
      // The default context does not ask a provider other than the JDK's own.
      var context = SSLContext.getInstance("TLS");
      context.init(null, null, null);
      SSLContext.setDefault(context);
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException("certificates cannot be added", impossible);
    }
  }

  private static List<? extends Certificate> ofJdk() throws GeneralSecurityException {
    var factory = TrustManagerFactory.getInstance(OF_JDK);
    factory.init((KeyStore) null);
    return Arrays.stream(factory.getTrustManagers())
        .filter(X509TrustManager.class::isInstance)
        .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
        .toList();
  }

  /** The factory of the JDK, except that it trusts these certificates when none are named. */
  private static final class Trust extends Provider {

    private static final long serialVersionUID = 1;

    Trust(KeyStore trusted) {
      super(ALGORITHM, "1", "certificates that are trusted in addition to those of the JDK");
      putService(
          new Service(this, "TrustManagerFactory", ALGORITHM, Factory.class.getName(), null, null) {
            @Override
            public Object newInstance(Object ignored) throws NoSuchAlgorithmException {
              return new Factory(TrustManagerFactory.getInstance(OF_JDK), trusted);
            }
          });
    }
  }

  private static final class Factory extends TrustManagerFactorySpi {

    private final TrustManagerFactory ofJdk;
    private final KeyStore trusted;

    Factory(TrustManagerFactory ofJdk, KeyStore trusted) {
      this.ofJdk = ofJdk;
      this.trusted = trusted;
    }

    @Override
    protected void engineInit(@Nullable KeyStore named) throws KeyStoreException {
      ofJdk.init(named == null ? trusted : named);
    }

    @Override
    protected void engineInit(ManagerFactoryParameters parameters)
        throws InvalidAlgorithmParameterException {
      ofJdk.init(parameters);
    }

    @Override
    protected TrustManager[] engineGetTrustManagers() {
      return ofJdk.getTrustManagers();
    }
  }
}
