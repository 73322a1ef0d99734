package dev.errand.kit;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Ports for the processes that tests start. The system assigns ports above 32,767 to sockets that
 * ask for any; a port from there could be taken before the process listens, or while it is started
 * again. These are below, and each process of the build has a block of its own: until it ends, it
 * occupies the first port of its block.
 */
public final class Ports {

  /** The first port of the block of this process, whichever class loader asks for it. */
  private static final String OWN = "errand.test.ports";

  private static final int FIRST = 20_000;
  private static final int BLOCKS = 50;
  private static final int SIZE = 200;
  private static final int BLOCK = block();
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(SIZE));

  private Ports() {}

  /** A port that nobody uses and that this process has not returned before. */
  public static int free() throws IOException {
    while (true) {
      var port = BLOCK + 1 + NEXT.getAndIncrement() % (SIZE - 1);
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException taken) {
        continue;
      }
    }
  }

  private static int block() {
    int block = Integer.getInteger(OWN, 0);
    if (block == 0) {
      block = newBlock();
      System.setProperty(OWN, Integer.toString(block));
    }
    return block;
  }

  private static int newBlock() {
    var start = ThreadLocalRandom.current().nextInt(BLOCKS);
    for (int number = 0; number < BLOCKS; number++) {
      var port = FIRST + (start + number) % BLOCKS * SIZE;
      try {
        var lock = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("ports").start(() -> keepOpen(lock));
        return port;
      } catch (IOException taken) {
        continue;
      }
    }
    throw new IllegalStateException("no block of ports is free");
  }

  private static void keepOpen(ServerSocket lock) {
    while (!lock.isClosed()) {
      LockSupport.park(lock);
    }
  }
}
