package dev.errand.tool.shell;

import dev.errand.tool.ToolProgress;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A command while it runs. Closing it ends everything that it has started. */
final class RunningCommand implements AutoCloseable {

  private static final long TICK_NANOS = 250_000_000;
  private static final Duration END_LIMIT = Duration.ofSeconds(2);
  private static final int NEWS_CHARS = 2_000;

  private final Process guard;
  private final OutputStream killSwitch;
  private final CappedOutput output;
  private final Thread reader;

  private RunningCommand(Process guard, CappedOutput output) {
    this.guard = guard;
    this.killSwitch = guard.getOutputStream();
    this.output = output;
    // A platform thread: a blocking read of a pipe on a virtual one keeps its carrier, and a few
    // hundred quiet commands would stop everything else.
    this.reader = Thread.ofPlatform().daemon().name("bash-output").start(this::read);
  }

  static RunningCommand start(
      Guard guard, ShellRequest request, Map<String, String> environment, int maxChars)
      throws IOException {
    var text = Guard.bytes(request.command());
    var builder = new ProcessBuilder(guard.commandLine(text, request.timeout()));
    builder.directory(request.workspace().toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    var running = new RunningCommand(builder.start(), new CappedOutput(maxChars));
    running.give(text);
    return running;
  }

  private void give(byte[] text) throws IOException {
    try {
      killSwitch.write(text);
      killSwitch.flush();
    } catch (IOException failed) {
      close();
      throw failed;
    }
  }

  /**
   * Waits until it has ended, its time is over, or it is over its limits.
   *
   * @param progress hears a few times a second what is new in the output
   */
  ExitStatus await(Duration timeout, Watch watch, ToolProgress progress)
      throws InterruptedException {
    var begin = System.nanoTime();
    while (true) {
      var left = timeout.toNanos() - (System.nanoTime() - begin);
      if (guard.waitFor(Math.clamp(left, 0, TICK_NANOS), TimeUnit.NANOSECONDS)) {
        return new ExitStatus.Exited(guard.exitValue());
      }
      if (left <= 0) {
        return new ExitStatus.TimedOut(timeout);
      }
      var excess = watch.excess(guard.pid());
      if (excess.isPresent()) {
        return new ExitStatus.TookTooMuch(excess.get());
      }
      progress.said(output.news(NEWS_CHARS));
    }
  }

  /** Looks after a running command's limits. */
  interface Watch {
    Optional<String> excess(long pid);
  }

  /** The output so far. */
  String output() {
    return output.text();
  }

  /**
   * Ends the command's tree and takes what is left of its output. Bounded: a child that escaped may
   * hold the pipe open.
   */
  @Override
  public void close() {
    var interrupted = Thread.interrupted();
    try {
      killSwitch.close();
    } catch (IOException alreadyGone) {
      // then so is the guard
    }
    try {
      if (!guard.waitFor(END_LIMIT)) {
        guard.descendants().forEach(ProcessHandle::destroyForcibly);
        guard.destroyForcibly();
      }
      reader.join(END_LIMIT);
    } catch (InterruptedException again) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * When the process ends, Java takes the rest of its output out of the pipe and closes the pipe,
   * also under a reader; reading once more then finds that rest.
   */
  private void read() {
    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        output.read(guard.getInputStream());
        return;
      } catch (IOException closedMeanwhile) {
        continue;
      }
    }
  }
}
