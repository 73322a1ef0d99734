package dev.errand.tool.shell;

import dev.errand.tool.ToolContext.ToolProgress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A running command. Closing it kills all processes that it started. */
final class RunningCommand implements AutoCloseable {

  private static final String PATH = "PATH";
  private static final long TICK_NANOS = 250_000_000;
  private static final Duration END_LIMIT = Duration.ofSeconds(2);
  private static final int PROGRESS_CHARS = 2_000;

  private final Process guard;
  private final OutputStream killSwitch;
  private final CappedOutput output;
  private final Thread reader;

  private RunningCommand(Process guard, CappedOutput output) {
    this.guard = guard;
    this.killSwitch = guard.getOutputStream();
    this.output = output;
    // A platform thread, because a blocking read of a pipe pins the carrier of a virtual thread:
    // a few hundred quiet commands would block all others.
    this.reader = Thread.ofPlatform().daemon().name("bash-output").start(this::read);
  }

  static RunningCommand start(
      Guard guard, ShellRequest request, Map<String, String> environment, int maxChars)
      throws IOException {
    var text = Guard.bytes(request.command());
    var path = environment.getOrDefault(PATH, HelperPrograms.SYSTEM);
    var builder = new ProcessBuilder(guard.commandLine(text, request.timeout(), path));
    builder.directory(request.workspace().toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put(PATH, HelperPrograms.SYSTEM);
    var running = new RunningCommand(builder.start(), new CappedOutput(maxChars));
    running.send(text);
    return running;
  }

  private void send(byte[] text) throws IOException {
    try {
      killSwitch.write(text);
      killSwitch.flush();
    } catch (IOException failed) {
      close();
      throw failed;
    }
  }

  /**
   * Waits until the command ends, times out or exceeds a limit.
   *
   * @param progress receives new output several times per second
   */
  ExitStatus await(Duration timeout, LimitWatch watch, ToolProgress progress)
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
        return new ExitStatus.ExceededLimit(excess.get());
      }
      progress.said(output.unreported(PROGRESS_CHARS));
    }
  }

  /** Checks the limits of a running command. */
  interface LimitWatch {
    /** Returns which limit the process exceeds. */
    Optional<String> excess(long pid);
  }

  /** Returns the output so far. */
  String output() {
    return output.text();
  }

  /**
   * Kills the process tree of the command and reads the rest of its output. The wait is limited,
   * because a process that escaped may keep the pipe open.
   */
  @Override
  public void close() {
    var interrupted = Thread.interrupted();
    try {
      killSwitch.close();
    } catch (IOException alreadyGone) {
      // the guard has ended, too
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
   * When the process ends, Java moves the rest of its output from the pipe to a buffer and closes
   * the pipe, which may fail a concurrent read. Reading again then returns that rest.
   */
  private void read() {
    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        output.read(guard.getInputStream());
        return;
      } catch (IOException closed) {
        continue;
      }
    }
  }

  /**
   * A command to run in the directory {@code workspace}.
   *
   * @param readOnly whether it must not change the workspace
   */
  record ShellRequest(String command, Path workspace, Duration timeout, boolean readOnly) {}

  /** The end of a command. All processes that it started have ended, too. */
  sealed interface ExitStatus {

    /** The command ended by itself; codes from 128 mean a signal, as in any shell. */
    record Exited(int code) implements ExitStatus {}

    record TimedOut(Duration after) implements ExitStatus {}

    /** The command exceeded a limit and was killed. */
    record ExceededLimit(String limit) implements ExitStatus {}

    default boolean isSuccess() {
      return this instanceof Exited(int code) && code == 0;
    }

    /** Returns the last line of the result that the model reads. */
    default String sentence() {
      return switch (this) {
        case Exited(int code) -> "(exit code %d)".formatted(code);
        case TimedOut(Duration after) ->
            "(timed out after %d ms; killed)".formatted(after.toMillis());
        case ExceededLimit(String limit) -> "(%s; killed)".formatted(limit);
      };
    }
  }
}
