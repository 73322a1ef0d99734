package dev.errand.egress;

import java.net.URI;

/** The verdict whether a URL may be called. */
public sealed interface UrlVerdict {

  record Allowed(URI url) implements UrlVerdict {}

  /** The text is not a valid URL. */
  record Malformed(String reason) implements UrlVerdict {}

  /**
   * The URL must not be called. The reason reveals nothing about the network: it is the same for an
   * unknown name and for a private address.
   */
  record Refused(String reason) implements UrlVerdict {}
}
