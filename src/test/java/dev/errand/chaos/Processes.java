package dev.errand.chaos;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Starts processes of the harness and sends signals to them. */
final class Processes {

  private Processes() {}

  /** Starts a main class of the harness in its own JVM. */
  static Process java(Class<?> main, Path log, String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return start(command, Map.of(), log);
  }

  static Process start(List<String> command, Map<String, String> environment, Path log)
      throws IOException {
    Files.createDirectories(log.getParent());
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    var process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(log.toString())))
            .start();
    // An aborted test leaves no processes behind.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  static boolean isInstalled(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", "command -v " + command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  static void signal(String name, long pid) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
  }
}
