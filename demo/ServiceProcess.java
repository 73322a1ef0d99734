package demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The service as a background process, which outlives the demo and the terminal. A file next to the
 * log keeps its pid, so that a later demo can still print how to stop it.
 */
final class ServiceProcess {

  /** Background jobs of a shell ignore the interrupt key, so that Ctrl-C ends only the demo. */
  private static final String IN_BACKGROUND = "nohup \"$@\" >\"$LOG\" 2>&1 </dev/null & echo $!";

  /** Without a start-up cache, the start takes half as long when Java optimises less. */
  private static final String LESS_OPTIMISED = "-XX:TieredStopAtLevel=1";

  private static final int LAST_LINES = 15;

  private final Path jar;
  private final Path log;
  private final Path pidFile;
  private final int port;
  private final Path workspace;

  /**
   * @param workspace a directory that agents may work in, in addition to the configured ones
   */
  ServiceProcess(Path jar, Path home, int port, Path workspace) {
    this.jar = jar;
    this.log = home.resolve("demo-" + port + ".log");
    this.pidFile = home.resolve("demo-" + port + ".pid");
    this.port = port;
    this.workspace = workspace;
  }

  Path log() {
    return log;
  }

  ProcessHandle start() throws IOException, InterruptedException {
    return start(Map.of());
  }

  /**
   * @param more further environment variables
   */
  ProcessHandle start(Map<String, String> more) throws IOException, InterruptedException {
    Files.createDirectories(log.getParent());
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    var command = new ArrayList<>(List.of("sh", "-c", IN_BACKGROUND, "sh", java.toString()));
    command.add("@deploy/java.options");
    var cache = jar.resolveSibling("errand.aot");
    command.add(Files.exists(cache) ? "-XX:AOTCache=" + cache : LESS_OPTIMISED);
    command.addAll(List.of("-jar", jar.toString()));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(more);
    builder.environment().putIfAbsent("ERRAND_SENT_KEEP", "24h");
    builder.environment().put("ERRAND_PORT", Integer.toString(port));
    builder.environment().put("ERRAND_CONSOLE_URL", "http://127.0.0.1:" + port + "/console");
    builder.environment().put("ERRAND_WORKSPACES_ROOTS", roots(builder.environment()));
    builder.environment().put("LOG", log.toString());
    var shell = builder.start();
    var pid = new String(shell.getInputStream().readAllBytes()).strip();
    shell.waitFor();
    Files.writeString(pidFile, pid);
    return running().orElseThrow(() -> new DemoFailure("the service ended at once; " + endOfLog()));
  }

  private String roots(Map<String, String> environment) {
    var usual = environment.getOrDefault("ERRAND_WORKSPACE", ".");
    var configured = environment.getOrDefault("ERRAND_WORKSPACES_ROOTS", escaped(usual));
    return configured + "," + escaped(workspace.toString());
  }

  private static String escaped(String path) {
    return path.replace("\\", "\\\\").replace(",", "\\,");
  }

  /** The service that this or an earlier demo started on this port, if it is still running. */
  Optional<ProcessHandle> running() {
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(pidFile)))
          .filter(ProcessHandle::isAlive)
          .filter(process -> process.info().commandLine().orElse("").contains(jar.toString()));
    } catch (IOException | NumberFormatException unknown) {
      return Optional.empty();
    }
  }

  /** False for frames of a stack trace and for lines from before logging is configured. */
  private static boolean isInformative(String line) {
    return !line.isBlank() && !line.matches("\\s+(at |\\.\\.\\. ).*") && !line.contains(" DEBUG [");
  }

  /** The path of the log and its last lines, without stack traces. */
  String endOfLog() {
    try {
      var lines = Files.readAllLines(log).stream().filter(ServiceProcess::isInformative).toList();
      var last = lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
      return "the end of " + log + ":\n\n" + String.join("\n", last);
    } catch (IOException unreadable) {
      return "its log " + log + " cannot be read.";
    }
  }
}
