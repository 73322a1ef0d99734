package dev.errand.tool.mcp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * A server's process. Its environment is clean: nothing of the service's own but what every program
 * needs, so no key and no password. Three platform threads serve it, since reading and writing
 * pipes would hold a virtual thread's carrier.
 */
final class ServerProcess {

  private static final Logger LOG = Logger.getLogger(ServerProcess.class);

  /** Longer messages than this end the connection: nobody may fill our memory. */
  private static final int MAX_MESSAGE_CHARS = 16 * 1024 * 1024;

  private static final Duration LAST_ANSWERS = Duration.ofMillis(500);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final Set<String> INHERITED =
      Set.of(
          "PATH",
          "HOME",
          "USER",
          "LOGNAME",
          "SHELL",
          "LANG",
          "LC_ALL",
          "LC_CTYPE",
          "TZ",
          "TERM",
          "TMPDIR");

  private final String server;
  private final Process process;
  private final CompletableFuture<String> lost;
  private final CompletableFuture<String> outputEnded = new CompletableFuture<>();
  private final BlockingQueue<String> outgoing = new LinkedBlockingQueue<>();
  private final StderrTail lastWords = new StderrTail();
  private final AtomicBoolean listening = new AtomicBoolean();

  private ServerProcess(String server, Process process, CompletableFuture<String> lost) {
    this.server = server;
    this.process = process;
    this.lost = lost;
  }

  /**
   * @param lost is told once when no more answers can come, and why
   * @throws IOException there is no such program
   */
  static ServerProcess start(
      String server, ServerDefinition.Place.Command command, CompletableFuture<String> lost)
      throws IOException {
    var builder = new ProcessBuilder(command.words());
    builder.environment().keySet().retainAll(INHERITED);
    builder.environment().putAll(command.environment());
    return new ServerProcess(server, builder.start(), lost);
  }

  /** Begins to pass on what the process writes; a second time is the first. */
  void listen(Consumer<String> messages) {
    if (!listening.compareAndSet(false, true)) {
      return;
    }
    thread("out", () -> readMessages(messages));
    thread("err", this::readWords);
    thread("in", this::writeMessages);
    CompletableFuture.anyOf(process.onExit(), outputEnded)
        .thenRunAsync(this::sayWhy, Thread::startVirtualThread);
  }

  /** Sends a line as soon as the process reads; does not wait for that. */
  void send(String message) {
    outgoing.add(message);
  }

  List<String> lastWords() {
    return lastWords.lines();
  }

  /**
   * Ends it and all it started: closes its input, asks, and kills what is still there. Waits 2 s at
   * most.
   */
  void stop() {
    var family = process.descendants().toList();
    closeInput();
    if (!exitsWithin(GRACE)) {
      process.destroy();
      exitsWithin(GRACE);
    }
    process.destroyForcibly();
    family.forEach(ProcessHandle::destroyForcibly);
  }

  private boolean exitsWithin(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void closeInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException gone) {
      LOG.debugf("MCP server %s: its input was closed already", server);
    }
  }

  private void readMessages(Consumer<String> messages) {
    var ending = "it closed its output";
    try {
      var lines = new BoundedLines(process.getInputStream(), MAX_MESSAGE_CHARS);
      for (var line = lines.next(); line.isPresent(); line = lines.next()) {
        if (line.get().cut()) {
          ending = "it sent a message of more than %d characters".formatted(MAX_MESSAGE_CHARS);
          break;
        }
        messages.accept(line.get().text());
      }
    } catch (IOException gone) {
      LOG.debugf("MCP server %s: reading its output failed: %s", server, gone.getMessage());
    } finally {
      outputEnded.complete(ending);
    }
  }

  private void readWords() {
    try {
      var lines = new BoundedLines(process.getErrorStream(), StderrTail.MAX_LINE_CHARS);
      for (var line = lines.next(); line.isPresent(); line = lines.next()) {
        LOG.debugf("MCP server %s: %s", server, line.get().text());
        lastWords.add(line.get().text());
      }
    } catch (IOException gone) {
      LOG.debugf("MCP server %s: reading its errors failed: %s", server, gone.getMessage());
    }
  }

  private void writeMessages() {
    try {
      var stream = process.getOutputStream();
      while (!lost.isDone()) {
        var message = outgoing.poll(1, TimeUnit.SECONDS);
        if (message != null) {
          stream.write((message + "\n").getBytes(StandardCharsets.UTF_8));
          stream.flush();
        }
      }
    } catch (IOException gone) {
      lost.completeOnTimeout("it closed its input", LAST_ANSWERS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * What it wrote before it exited still counts, and that it exited says more than that its output
   * ended; so each waits a moment for the other.
   */
  private void sayWhy() {
    var limit = LAST_ANSWERS.toMillis();
    var ending = outputEnded.copy().completeOnTimeout("", limit, TimeUnit.MILLISECONDS).join();
    if (exitsWithin(LAST_ANSWERS)) {
      lost.complete("it exited with " + process.exitValue());
    } else {
      lost.complete(ending);
    }
  }

  private void thread(String name, Runnable work) {
    Thread.ofPlatform().daemon().name("mcp-" + server + "-" + name).start(work);
  }
}
