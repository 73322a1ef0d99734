package dev.errand.kit;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The MCP reference server for files. It is installed once from the npm registry into {@code
 * target}; the test fails when the registry cannot be reached. Without npm the test is skipped, or
 * fails when {@code ERRAND_TEST_NPM} is {@code required}.
 */
public final class FilesystemServer {

  private static final String PACKAGE = "@modelcontextprotocol/server-filesystem";
  private static final String VERSION = "2026.8.31";
  private static final Path FOLDER = Path.of("target", "npm", VERSION).toAbsolutePath();
  private static final Path MAIN = FOLDER.resolve("node_modules/" + PACKAGE + "/dist/index.js");

  private FilesystemServer() {}

  /** The command that starts a server for this folder. */
  public static List<String> command(Path folder) {
    install();
    return List.of("node", MAIN.toString(), folder.toString());
  }

  /** Kills the servers of this folder, as a crash would. */
  public static void kill(Path folder) {
    processes(folder).forEach(ProcessHandle::destroyForcibly);
  }

  /** The server processes of this folder. */
  public static Stream<ProcessHandle> processes(Path folder) {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().commandLine().orElse("").endsWith("index.js " + folder));
  }

  private static synchronized void install() {
    if (Files.exists(MAIN)) {
      return;
    }
    try {
      Files.createDirectories(FOLDER);
      run("npm", "install", "--no-audit", "--no-fund", "--prefix", ".", PACKAGE + "@" + VERSION);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  private static void run(String... command) throws IOException {
    var log = FOLDER.resolve("npm.log");
    var npm =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    try {
      var process = start(npm);
      if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.destroyForcibly();
        fail("npm failed to install the server:%n%s".formatted(Files.readString(log)));
      }
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      fail("interrupted while npm was installing the server");
    }
  }

  private static Process start(ProcessBuilder npm) {
    try {
      return npm.start();
    } catch (IOException absent) {
      var message = "npm is needed to install " + PACKAGE + " and was not found";
      return "required".equals(System.getenv("ERRAND_TEST_NPM")) ? fail(message) : abort(message);
    }
  }
}
