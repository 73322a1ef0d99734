package demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One start of the service in the background. The process outlives the demo and the terminal; its
 * number is kept in a file beside the log, so that a later demo can still say how to stop it.
 */
final class Launch {

  /** A shell starts a background job with the interrupt key ignored: Ctrl-C ends the demo alone. */
  private static final String IN_BACKGROUND = "nohup \"$@\" >\"$LOG\" 2>&1 </dev/null & echo $!";

  private static final int LAST_LINES = 15;

  private final Path jar;
  private final Path log;
  private final Path pidFile;
  private final int port;

  Launch(Path jar, Path folder, int port) {
    this.jar = jar;
    this.log = folder.resolve("demo-" + port + ".log");
    this.pidFile = folder.resolve("demo-" + port + ".pid");
    this.port = port;
  }

  Path log() {
    return log;
  }

  ProcessHandle start() throws IOException, InterruptedException {
    Files.createDirectories(log.getParent());
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    var command = List.of("sh", "-c", IN_BACKGROUND, "sh", java.toString(), "-jar", jar.toString());
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("ERRAND_PORT", Integer.toString(port));
    builder.environment().put("LOG", log.toString());
    var shell = builder.start();
    var pid = new String(shell.getInputStream().readAllBytes()).strip();
    shell.waitFor();
    Files.writeString(pidFile, pid);
    return running().orElseThrow(() -> new DemoFailure("the service ended at once; " + endOfLog()));
  }

  /** The service that this or an earlier demo started on this port, if it still runs. */
  Optional<ProcessHandle> running() {
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(pidFile)))
          .filter(ProcessHandle::isAlive)
          .filter(process -> process.info().commandLine().orElse("").contains(jar.toString()));
    } catch (IOException | NumberFormatException unknown) {
      return Optional.empty();
    }
  }

  /** Frames of a stack trace do not, nor does what is logged before the log is set up. */
  private static boolean tellsSomething(String line) {
    return !line.isBlank() && !line.matches("\\s+(at |\\.\\.\\. ).*") && !line.contains(" DEBUG [");
  }

  /** Where the log is, and how it ends, without what helps only programmers. */
  String endOfLog() {
    try {
      var lines = Files.readAllLines(log).stream().filter(Launch::tellsSomething).toList();
      var last = lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
      return "the end of " + log + ":\n\n" + String.join("\n", last);
    } catch (IOException unreadable) {
      return "its log " + log + " cannot be read.";
    }
  }
}
