package dev.errand.hook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * A running program of a hook. Platform threads serve its pipes, because blocking pipe I/O would
 * pin the carrier of a virtual thread. Closing it kills its process group.
 */
final class RunningHook implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(RunningHook.class);

  private static final int MOST_OUTPUT = 64 << 10;
  private static final int MOST_ERRORS = 8 << 10;
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(1);

  private final Process process;
  private final String shell;
  private final StreamStart output;
  private final StreamStart errors;
  private boolean killed;

  RunningHook(Process process, String shell) {
    this.process = process;
    this.shell = shell;
    this.output = new StreamStart(process.getInputStream(), MOST_OUTPUT);
    this.errors = new StreamStart(process.getErrorStream(), MOST_ERRORS);
  }

  /** Returns whether the program, given this input, ends in time. */
  boolean endsWithin(String input, Duration limit) throws InterruptedException {
    Thread.ofPlatform().daemon().name("hook-in").start(() -> write(input));
    return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  int exitValue() {
    return process.exitValue();
  }

  /** Returns the beginning of what the program has printed. */
  String output() throws InterruptedException {
    killGroup();
    return output.text();
  }

  String errors() throws InterruptedException {
    killGroup();
    return errors.text();
  }

  /** A program need not read its input. */
  private void write(String input) {
    try (var stream = process.getOutputStream()) {
      stream.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException closed) {
      LOG.debug("A hook did not read its input", closed);
    }
  }

  /**
   * Ends the program. The group ends first, so that no process of it starts another one.
   * Idempotent.
   */
  @Override
  public void close() {
    killGroup();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private synchronized void killGroup() {
    if (killed) {
      return;
    }
    killed = true;
    try {
      var kill = new ProcessBuilder(shell, "-c", "kill -s KILL -- -" + process.pid());
      kill.redirectOutput(ProcessBuilder.Redirect.DISCARD);
      kill.redirectError(ProcessBuilder.Redirect.DISCARD);
      kill.start().onExit().join();
    } catch (IOException fault) {
      LOG.warnf("The processes of a hook could not be killed: %s", fault.getMessage());
    }
  }

  /** Keeps the beginning of a stream and reads on, so that the program is not blocked. */
  private static final class StreamStart {

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final Thread reader;

    StreamStart(InputStream stream, int most) {
      reader = Thread.ofPlatform().daemon().name("hook-out").start(() -> read(stream, most));
    }

    /**
     * When the process ends, Java moves the rest of its output from the pipe to a buffer and closes
     * the pipe, which may fail a concurrent read. Reading again then returns that rest.
     */
    private void read(InputStream stream, int most) {
      var chunk = new byte[4096];
      for (int attempt = 0; attempt < 2; attempt++) {
        try {
          for (var count = stream.read(chunk); count >= 0; count = stream.read(chunk)) {
            keep(chunk, count, most);
          }
          return;
        } catch (IOException closed) {
          LOG.debug("Reading a hook's output again", closed);
        }
      }
    }

    private synchronized void keep(byte[] chunk, int count, int most) {
      kept.write(chunk, 0, Math.min(count, most - kept.size()));
    }

    String text() throws InterruptedException {
      reader.join(LAST_OUTPUT);
      synchronized (this) {
        return kept.toString(StandardCharsets.UTF_8);
      }
    }
  }
}
