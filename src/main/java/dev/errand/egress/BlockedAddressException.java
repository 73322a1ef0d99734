package dev.errand.egress;

import java.net.UnknownHostException;

/** A host has an address that must not be called. Does not reveal which one. */
public final class BlockedAddressException extends UnknownHostException {

  private static final long serialVersionUID = 1;

  BlockedAddressException() {
    super("blocked address");
  }
}
