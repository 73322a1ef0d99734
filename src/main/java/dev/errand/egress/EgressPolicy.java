package dev.errand.egress;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Decides whether a URL that others chose may be called. It checks all addresses of the host, so
 * unusual spellings of an address do not bypass it. The check and the connection must use the same
 * lookup: a client connects only to addresses that {@link #addresses} returns.
 */
public final class EgressPolicy {

  private static final int MAX_CHARS = 2_048;
  private static final int MAX_PORT = 65_535;

  /** Ends like an IPv4 address in any spelling; programs read 0177.0.0.1 differently. */
  private static final Pattern NUMERIC = Pattern.compile("(?i)(^|\\.)(\\d+|0x[0-9a-f]*)\\.?$");

  private static final Pattern DOTTED =
      Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

  private final HostResolver resolver;
  private final EgressRules rules;

  public EgressPolicy(HostResolver resolver, EgressRules rules) {
    this.resolver = resolver;
    this.rules = rules;
  }

  /** Checks a URL and the current addresses of its host. The name lookup may take seconds. */
  public UrlVerdict judge(String url) {
    var verdict = shape(url);
    if (!(verdict instanceof UrlVerdict.Allowed allowed)) {
      return verdict;
    }
    try {
      addresses(allowed.url().getHost());
      return verdict;
    } catch (UnknownHostException _) {
      return new UrlVerdict.Refused("its host must have public addresses only");
    }
  }

  /**
   * Returns the addresses of the host if all of them may be called.
   *
   * @throws BlockedAddressException one of them must not be called
   * @throws UnknownHostException the host has no address
   */
  public List<InetAddress> addresses(String host) throws UnknownHostException {
    var addresses = resolver.resolve(host.replaceAll("^\\[|]$", ""));
    if (addresses.isEmpty()) {
      throw new UnknownHostException("no address");
    }
    if (!addresses.stream().allMatch(this::isAllowed)) {
      throw new BlockedAddressException();
    }
    return List.copyOf(addresses);
  }

  /** Checks a URL without looking up its host. */
  public UrlVerdict shape(String text) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException _) {
      return new UrlVerdict.Malformed("must be a URL");
    }
    if (text.length() > MAX_CHARS || url.getScheme() == null) {
      return new UrlVerdict.Malformed(
          "must be an absolute URL of at most " + MAX_CHARS + " characters");
    }
    return shape(url, url.getScheme().toLowerCase(Locale.ROOT));
  }

  private UrlVerdict shape(URI url, String scheme) {
    if (!scheme.equals("https") && (rules.httpsOnly() || !scheme.equals("http"))) {
      return new UrlVerdict.Refused(rules.httpsOnly() ? "must be https" : "must be http or https");
    }
    if (url.getRawUserInfo() != null) {
      return new UrlVerdict.Refused("must not contain a user name or password");
    }
    if (url.getHost() == null || url.getPort() == 0 || url.getPort() > MAX_PORT) {
      return new UrlVerdict.Malformed("must have a valid host and port");
    }
    if (NUMERIC.matcher(url.getHost()).find() && !DOTTED.matcher(url.getHost()).matches()) {
      return new UrlVerdict.Refused("must spell an IPv4 address as four decimal numbers");
    }
    return new UrlVerdict.Allowed(url);
  }

  private boolean isAllowed(InetAddress address) {
    return switch (AddressKind.of(address)) {
      case PUBLIC -> true;
      case PRIVATE -> rules.allowPrivate();
      case FORBIDDEN -> false;
    };
  }

  /** A host has an address that must not be called. Does not reveal which one. */
  public static final class BlockedAddressException extends UnknownHostException {

    private static final long serialVersionUID = 1;

    BlockedAddressException() {
      super("blocked address");
    }
  }
}
