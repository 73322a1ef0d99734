package dev.errand.tool.shell;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A process that runs one command like the service does, with keys in its environment. */
final class ServiceStandIn {

  static final String CANARY = "canary-7f3a";

  private ServiceStandIn() {}

  /** Prints the result. */
  public static void main(String... arguments) {
    var kit = new ShellKit(Path.of(arguments[0]), arguments[1]);
    var result =
        arguments.length > 3
            ? kit.bash(arguments[2], "timeout_ms", Integer.parseInt(arguments[3]))
            : kit.bash(arguments[2]);
    System.out.println(result.text());
  }

  /** Starts the process; {@code more} may contain a time-out in milliseconds. */
  static Process start(Path workspace, String mode, String command, String... more)
      throws IOException {
    return start(Map.of(), workspace, mode, command, more);
  }

  static Process start(
      Map<String, String> environment, Path workspace, String mode, String command, String... more)
      throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var line =
        new ArrayList<>(
            List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ServiceStandIn.class.getName(),
                workspace.toString(),
                mode,
                command));
    line.addAll(List.of(more));
    var builder = new ProcessBuilder(line);
    builder.environment().put("OPENAI_API_KEY", CANARY);
    builder.environment().put("ERRAND_DB_PASSWORD", CANARY);
    builder.environment().putAll(environment);
    return builder.redirectError(ProcessBuilder.Redirect.to(new File("/dev/null"))).start();
  }
}
