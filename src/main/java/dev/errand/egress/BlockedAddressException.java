package dev.errand.egress;

import java.net.UnknownHostException;

/** A host has an address that must not be connected to. Does not say which: that is no caller's. */
public final class BlockedAddressException extends UnknownHostException {

  private static final long serialVersionUID = 1;

  BlockedAddressException() {
    super("blocked address");
  }
}
