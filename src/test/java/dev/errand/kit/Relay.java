package dev.errand.kit;

import java.io.IOException;
import java.net.Socket;

/** Copies bytes between two connections until one of them has ended. */
final class Relay {

  private Relay() {}

  static void between(Socket one, Socket other) {
    try (one;
        other) {
      Thread.startVirtualThread(() -> copy(other, one));
      copy(one, other);
    } catch (IOException ended) {
      // The connection is closed on both sides.
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException ended) {
      // The other direction ends as well.
    }
  }
}
