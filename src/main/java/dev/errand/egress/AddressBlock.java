package dev.errand.egress;

import java.net.InetAddress;

/** A block of addresses in CIDR notation, {@code 10.0.0.0/8}. */
record AddressBlock(InetAddress first, int bits) {

  /**
   * @throws IllegalArgumentException the text is no such block
   */
  static AddressBlock of(String text) {
    var parts = text.split("/", 2);
    return new AddressBlock(InetAddress.ofLiteral(parts[0]), Integer.parseInt(parts[1]));
  }

  boolean contains(InetAddress address) {
    var mine = first.getAddress();
    var theirs = address.getAddress();
    if (mine.length != theirs.length || bits > 8 * mine.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      var mask = 0x80 >> (bit % 8);
      if (((mine[bit / 8] ^ theirs[bit / 8]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
