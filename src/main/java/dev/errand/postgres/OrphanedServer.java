package dev.errand.postgres;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/** A database server that is still running although the service that started it was killed. */
final class OrphanedServer {

  private static final Logger LOG = Logger.getLogger(OrphanedServer.class);
  private static final long STOP_SECONDS = 30;

  private OrphanedServer() {}

  static void stopIn(Path data) throws IOException {
    refuseWhenInUse(data);
    var orphan = postmaster(data);
    if (orphan.isPresent()) {
      LOG.infof(
          "Stopping the PostgreSQL server that a killed process left behind (pid %d)",
          orphan.get().pid());
      stop(orphan.get());
    }
  }

  /** The library of the embedded server has a lock on this file while its process runs. */
  private static void refuseWhenInUse(Path data) throws IOException {
    var lockFile = data.resolve("epg-lock");
    if (!Files.exists(lockFile)) {
      return;
    }
    try (var channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
        var lock = channel.tryLock()) {
      if (lock == null) {
        throw inUse(data);
      }
    } catch (OverlappingFileLockException lockedByThisProcess) {
      throw inUse(data);
    }
  }

  private static IllegalStateException inUse(Path data) {
    return new IllegalStateException(
        "another running Errand uses the database in "
            + data
            + "; stop it, or set ERRAND_HOME to another directory");
  }

  private static Optional<ProcessHandle> postmaster(Path data) throws IOException {
    var pidFile = data.resolve("postmaster.pid");
    if (!Files.exists(pidFile)) {
      return Optional.empty();
    }
    // Negative when a killed service was setting up the database without a server.
    var pid = Math.abs(Long.parseLong(Files.readAllLines(pidFile).getFirst().strip()));
    return ProcessHandle.of(pid)
        .filter(process -> process.info().command().orElse("").endsWith("postgres"));
  }

  /**
   * SIGINT is the fast shutdown of PostgreSQL; the SIGTERM of {@code destroy()} waits for clients.
   */
  private static void stop(ProcessHandle server) throws IOException {
    try {
      new ProcessBuilder("kill", "-INT", Long.toString(server.pid())).start().waitFor();
      server.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(
          "interrupted while stopping the orphaned PostgreSQL server", interrupted);
    } catch (ExecutionException | TimeoutException fault) {
      throw new IOException(
          "the orphaned PostgreSQL server (pid " + server.pid() + ") does not stop", fault);
    }
  }
}
