package dev.errand.egress;

import java.net.URI;

/** Whether an address may be called. */
public sealed interface Verdict {

  record Allowed(URI url) implements Verdict {}

  /** It is no address at all. */
  record Malformed(String reason) implements Verdict {}

  /**
   * It is one, and must not be called. The reason tells nothing about our network: it is the same
   * for a name that is unknown and for one that leads inside.
   */
  record Refused(String reason) implements Verdict {}
}
