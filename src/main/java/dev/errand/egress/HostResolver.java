package dev.errand.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host. */
@FunctionalInterface
public interface HostResolver {

  /** Uses the operating system: its hosts file and name servers. */
  HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

  /**
   * @param host a name, or an address in any spelling
   * @throws UnknownHostException the host has no address
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;
}
