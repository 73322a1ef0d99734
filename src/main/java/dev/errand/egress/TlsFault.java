package dev.errand.egress;

import static java.security.cert.CertPathValidatorException.BasicReason.INVALID_SIGNATURE;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The reason why TLS failed in a way that does not pass by itself: a certificate, a setting or an
 * address. A connection that broke is none of these.
 *
 * @param reason the end of a sentence whose subject is the server, without its address
 * @param remedy what the operator can do, as the end of that sentence; may be empty
 */
public record TlsFault(String reason, String remedy) {

  private static final TlsFault UNTRUSTED =
      new TlsFault(
          "its certificate is not trusted, because no known certificate authority has issued it",
          "; add the certificate of its authority with ERRAND_CA_FILE (errand.ca-file)");

  private static final TlsFault EXPIRED = certificate("has expired");
  private static final TlsFault TOO_EARLY = certificate("is not valid yet");
  private static final TlsFault OTHER_HOST = certificate("is for another host name");

  private static final TlsFault NO_TLS =
      new TlsFault(
          "it does not speak TLS at this port",
          "; if that is right, write http:// instead of https://");

  /** Sockets and engines of the JDK have different words. */
  private static final Pattern PLAIN = Pattern.compile("(?i)unrecognized SSL message");

  private static final Pattern NAME = Pattern.compile("(?i)\\bno (subject alternative|name)\\b");

  /** A server also ends a handshake for reasons that pass, such as {@code internal_error}. */
  private static final Pattern REFUSED =
      Pattern.compile(
          "Received fatal alert: (handshake_failure|protocol_version|insufficient_security|no_certificate|bad_certificate"
              + "|unsupported_certificate|certificate_\\w+|unknown_ca|access_denied|unrecognized_name|no_application_protocol)");

  private static TlsFault certificate(String problem) {
    return new TlsFault("its certificate " + problem, "");
  }

  /** Reads a failed request; empty for another fault, or for one that may pass. */
  public static Optional<TlsFault> in(Throwable fault) {
    // The innermost cause is the most specific one.
    return Stream.iterate(fault, cause -> cause != null, Throwable::getCause)
        .flatMap(cause -> read(cause).stream())
        .reduce((_, inner) -> inner);
  }

  private static Optional<TlsFault> read(Throwable cause) {
    var message = String.valueOf(cause.getMessage());
    return switch (cause) {
      case CertificateExpiredException _ -> Optional.of(EXPIRED);
      case CertificateNotYetValidException _ -> Optional.of(TOO_EARLY);
      case CertPathBuilderException _ -> Optional.of(UNTRUSTED);
      // An authority with the same name, but with another key.
      case CertPathValidatorException invalid when invalid.getReason() == INVALID_SIGNATURE ->
          Optional.of(UNTRUSTED);
      case CertPathValidatorException invalid ->
          Optional.of(certificate("is not accepted: " + invalid.getMessage()));
      case SSLPeerUnverifiedException _ -> Optional.of(OTHER_HOST);
      case CertificateException _ when NAME.matcher(message).find() -> Optional.of(OTHER_HOST);
      case SSLException _ when PLAIN.matcher(message).find() -> Optional.of(NO_TLS);
      case SSLException _ -> refused(message);
      default -> Optional.empty();
    };
  }

  private static Optional<TlsFault> refused(String message) {
    var alert = REFUSED.matcher(message);
    return alert.find()
        ? Optional.of(new TlsFault("it refuses the TLS connection (" + alert.group(1) + ")", ""))
        : Optional.empty();
  }
}
