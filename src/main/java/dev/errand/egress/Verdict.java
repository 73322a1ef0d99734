package dev.errand.egress;

import java.net.URI;

/** Whether a URL may be called. */
public sealed interface Verdict {

  record Allowed(URI url) implements Verdict {}

  /** The text is not a valid URL. */
  record Malformed(String reason) implements Verdict {}

  /**
   * The URL must not be called. The reason reveals nothing about the network: it is the same for an
   * unknown name and for a private address.
   */
  record Refused(String reason) implements Verdict {}
}
