package dev.errand.egress;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** The kind of network that an address belongs to. */
enum AddressKind {
  /** A public address, which may be called. */
  PUBLIC,
  /** This machine or its private network; may be called if the operator allows it. */
  PRIVATE,
  /** Metadata services and addresses without a regular host; must never be called. */
  FORBIDDEN;

  private static final List<AddressBlock> METADATA =
      blocks(
          "169.254.0.0/16",
          "100.100.100.200/32",
          "168.63.129.16/32",
          "fd00:ec2::254/128",
          "fd20:ce::254/128");

  private static final List<AddressBlock> LOCAL =
      blocks(
          "127.0.0.0/8",
          "10.0.0.0/8",
          "172.16.0.0/12",
          "192.168.0.0/16",
          "100.64.0.0/10",
          "::1/128",
          "fc00::/7");

  /** "This" network, protocol assignments, documentation, benchmarks, multicast, reserved. */
  private static final List<AddressBlock> SPECIAL =
      blocks(
          "0.0.0.0/8",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.88.99.0/24",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "224.0.0.0/4",
          "240.0.0.0/4",
          // Teredo and other assignments, documentation, 6to4: none of them leads to a regular
          // host.
          "2001::/23",
          "2001:db8::/32",
          "2002::/16",
          "3fff::/20");

  /** IPv6 addresses outside of this block are not assigned to hosts. */
  private static final AddressBlock GLOBAL_UNICAST = AddressBlock.of("2000::/3");

  private static final AddressBlock NAT64 = AddressBlock.of("64:ff9b::/96");

  static AddressKind of(InetAddress address) {
    if (NAT64.contains(address)) {
      return of(embedded(address));
    }
    if (isIn(METADATA, address)) {
      return FORBIDDEN;
    }
    if (isIn(LOCAL, address)) {
      return PRIVATE;
    }
    var usual = address instanceof Inet4Address || GLOBAL_UNICAST.contains(address);
    return usual && !isIn(SPECIAL, address) ? PUBLIC : FORBIDDEN;
  }

  /** Returns the IPv4 address to which NAT64 translates this address. */
  private static InetAddress embedded(InetAddress address) {
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(address.getAddress(), 12, 16));
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException("four bytes are always an address", impossible);
    }
  }

  private static boolean isIn(List<AddressBlock> blocks, InetAddress address) {
    return blocks.stream().anyMatch(block -> block.contains(address));
  }

  private static List<AddressBlock> blocks(String... blocks) {
    return Arrays.stream(blocks).map(AddressBlock::of).toList();
  }
}
