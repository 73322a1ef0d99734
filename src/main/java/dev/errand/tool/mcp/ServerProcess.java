package dev.errand.tool.mcp;

import dev.errand.conversation.TextCut;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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
 * The process of one server. Its environment contains only what every program needs, so that it
 * gets no key or password of the service. Platform threads serve its pipes, because blocking pipe
 * I/O would pin the carrier of a virtual thread.
 */
final class ServerProcess {

  private static final Logger LOG = Logger.getLogger(ServerProcess.class);

  /** A longer message ends the connection, so that a server cannot fill the memory. */
  private static final int MAX_MESSAGE_CHARS = 16 * 1024 * 1024;

  private static final Duration EXIT_LIMIT = Duration.ofSeconds(1);
  private static final Duration LAST_LINES_LIMIT = Duration.ofMillis(500);

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
  private final CompletableFuture<String> errorsEnded = new CompletableFuture<>();
  private final CompletableFuture<String> inputClosed = new CompletableFuture<>();
  private final BlockingQueue<String> outgoing = new LinkedBlockingQueue<>();
  private final StderrTail stderrTail = new StderrTail();
  private final AtomicBoolean listening = new AtomicBoolean();

  private ServerProcess(String server, Process process, CompletableFuture<String> lost) {
    this.server = server;
    this.process = process;
    this.lost = lost;
  }

  /**
   * @param lost is completed with the reason when no more answers can arrive
   * @throws IOException the program cannot be started
   */
  static ServerProcess start(
      String server, ServerDefinition.ServerAddress.Command command, CompletableFuture<String> lost)
      throws IOException {
    var builder = new ProcessBuilder(command.words());
    builder.environment().keySet().retainAll(INHERITED);
    builder.environment().putAll(command.environment());
    return new ServerProcess(server, builder.start(), lost);
  }

  /** Starts to pass on the messages that the process writes. Idempotent. */
  void listen(Consumer<String> messages) {
    if (!listening.compareAndSet(false, true)) {
      return;
    }
    thread("out", () -> readMessages(messages));
    thread("err", this::readErrors);
    thread("in", this::writeMessages);
    CompletableFuture.anyOf(process.onExit(), outputEnded, inputClosed)
        .thenRunAsync(this::reportLoss, Thread::startVirtualThread);
  }

  /** Queues a line for the process and returns at once. */
  void send(String message) {
    outgoing.add(message);
  }

  List<String> stderrTail() {
    return stderrTail.lines();
  }

  /**
   * Ends the process and its descendants: closes its input, sends SIGTERM, and kills what is left.
   * Takes 2 s at most.
   */
  void stop() {
    var descendants = process.descendants().toList();
    thread("close", this::closeInput);
    if (!exitsWithin(EXIT_LIMIT)) {
      process.destroy();
      exitsWithin(EXIT_LIMIT);
    }
    process.destroyForcibly();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }

  private boolean exitsWithin(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Waits for a message that is being written, so it has a thread of its own. */
  private void closeInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException closed) {
      LOG.debugf("MCP server %s: its input was closed already", server);
    }
  }

  private void readMessages(Consumer<String> messages) {
    var reason = "it closed its output";
    try {
      var lines = new BoundedLines(process.getInputStream(), MAX_MESSAGE_CHARS);
      for (var line = lines.next(); line.isPresent(); line = lines.next()) {
        if (line.get().cut()) {
          reason = "it sent a message of more than %d characters".formatted(MAX_MESSAGE_CHARS);
          break;
        }
        messages.accept(line.get().text());
      }
    } catch (IOException fault) {
      LOG.debugf("MCP server %s: reading its output failed: %s", server, fault.getMessage());
    } finally {
      outputEnded.complete(reason);
    }
  }

  private void readErrors() {
    try {
      var lines = new BoundedLines(process.getErrorStream(), StderrTail.MAX_LINE_CHARS);
      for (var line = lines.next(); line.isPresent(); line = lines.next()) {
        LOG.debugf("MCP server %s: %s", server, line.get().text());
        stderrTail.add(line.get().text());
      }
    } catch (IOException fault) {
      LOG.debugf("MCP server %s: reading its errors failed: %s", server, fault.getMessage());
    } finally {
      errorsEnded.complete("");
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
    } catch (IOException fault) {
      inputClosed.complete("it closed its input");
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Decides why the server was lost. A process that dies also closes its pipes, and each of these
   * events may be seen first. The exit explains most, so this waits for it; and it waits for the
   * last lines of both outputs, because an answer that the server wrote before it exited counts.
   */
  private void reportLoss() {
    if (exitsWithin(EXIT_LIMIT)) {
      awaitLastLines();
      lost.complete("it exited with " + process.exitValue());
    } else {
      lost.complete(outputEnded.getNow(inputClosed.getNow("")));
    }
  }

  /** Child processes may keep the pipes open, so the wait is limited. */
  private void awaitLastLines() {
    CompletableFuture.allOf(outputEnded, errorsEnded)
        .completeOnTimeout(null, LAST_LINES_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  private void thread(String name, Runnable work) {
    Thread.ofPlatform().daemon().name("mcp-" + server + "-" + name).start(work);
  }

  /** Keeps the last lines of a server's standard error, which may explain why it exited. */
  private static final class StderrTail {

    static final int MAX_LINE_CHARS = 300;

    private static final int MAX_LINES = 10;

    private final Deque<String> lines = new ArrayDeque<>();

    synchronized void add(String line) {
      if (lines.size() == MAX_LINES) {
        lines.removeFirst();
      }
      lines.addLast(TextCut.withEllipsis(line, MAX_LINE_CHARS));
    }

    synchronized List<String> lines() {
      return List.copyOf(lines);
    }
  }
}
