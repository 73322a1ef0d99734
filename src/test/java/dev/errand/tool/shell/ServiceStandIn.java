package dev.errand.tool.shell;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A process that runs commands like the service does, with keys in its environment. */
final class ServiceStandIn {

  static final String CANARY = "canary-7f3a";

  private static final String UNLIMITED = "";

  private ServiceStandIn() {}

  /** Runs all commands at the same time, and prints their results. */
  public static void main(String... arguments) {
    var kit = new ShellKit(Path.of(arguments[0]), arguments[1]);
    var more =
        arguments[2].equals(UNLIMITED)
            ? new Object[0]
            : new Object[] {"timeout_ms", Integer.parseInt(arguments[2])};
    for (var command : List.of(arguments).subList(3, arguments.length)) {
      new Thread(() -> System.out.println(kit.bash(command, more).text())).start();
    }
  }

  static Process start(Path workspace, String mode, List<String> commands) throws IOException {
    return start(Map.of(), workspace, mode, UNLIMITED, commands);
  }

  static Process start(Map<String, String> environment, Path workspace, String mode, String command)
      throws IOException {
    return start(environment, workspace, mode, UNLIMITED, List.of(command));
  }

  /** Starts a process whose command has a time-out, in milliseconds. */
  static Process startBriefly(Path workspace, String mode, int timeout, String command)
      throws IOException {
    return start(Map.of(), workspace, mode, Integer.toString(timeout), List.of(command));
  }

  private static Process start(
      Map<String, String> environment,
      Path workspace,
      String mode,
      String timeout,
      List<String> commands)
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
                timeout));
    line.addAll(commands);
    var builder = new ProcessBuilder(line);
    builder.environment().put("OPENAI_API_KEY", CANARY);
    builder.environment().put("ERRAND_DB_PASSWORD", CANARY);
    builder.environment().putAll(environment);
    return builder.redirectError(ProcessBuilder.Redirect.to(new File("/dev/null"))).start();
  }
}
