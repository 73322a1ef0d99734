package dev.errand.kit;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for the processes that tests start. The system assigns ports above 32,767 to sockets that
 * ask for any; a port from there could be taken before the process listens, or while it is started
 * again. These are below, and each fork of the build has its own.
 */
public final class Ports {

  private static final int FIRST = 20_000;
  private static final int PER_FORK = 3_000;
  private static final int FORKS = 4;
  private static final int FORK = Integer.getInteger("surefire.forkNumber", 0) % FORKS;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(PER_FORK));

  private Ports() {}

  /** A port that nobody uses and that this process has not returned before. */
  public static int free() throws IOException {
    while (true) {
      var port = FIRST + FORK * PER_FORK + NEXT.getAndIncrement() % PER_FORK;
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException taken) {
        continue;
      }
    }
  }
}
