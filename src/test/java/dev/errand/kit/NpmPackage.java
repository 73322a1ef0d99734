package dev.errand.kit;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A program from the npm registry. It is installed once into {@code target}; the test fails when
 * the registry cannot be reached. Without npm the test is skipped, or fails when {@code
 * ERRAND_TEST_NPM} is {@code required}.
 */
public enum NpmPackage {
  FILESYSTEM_SERVER("@modelcontextprotocol/server-filesystem", "2026.8.31"),
  CLAUDE_CODE("@anthropic-ai/claude-code", "2.1.332", "install.cjs"),
  OPENCODE("opencode-ai", "1.18.33", "postinstall.mjs"),
  CONFORMANCE("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
  /** The interpreter, for programs that need a newer one than many systems have. */
  NODE("node", "22.23.3", "installArchSpecificPackage.js");

  private static final String INSTALLED = "installed";

  private final String id;
  private final String version;
  private final String[] scripts;
  private final Path folder;

  /**
   * @param scripts those of the package that npm may leave to the user
   */
  NpmPackage(String id, String version, String... scripts) {
    this.id = id;
    this.version = version;
    this.scripts = scripts;
    this.folder =
        Path.of("target", "npm", name().toLowerCase(Locale.ROOT), version).toAbsolutePath();
  }

  public String version() {
    return version;
  }

  /** A file of the package, which is installed now if it is not yet. */
  public Path file(String name) {
    install();
    return packageFolder().resolve(name);
  }

  private Path packageFolder() {
    return folder.resolve("node_modules").resolve(id);
  }

  private synchronized void install() {
    if (Files.exists(folder.resolve(INSTALLED))) {
      return;
    }
    try {
      Files.createDirectories(folder);
      var named = id + "@" + version;
      run(folder, "npm", "install", "--no-audit", "--no-fund", "--prefix", ".", named);
      for (var script : scripts) {
        run(packageFolder(), "node", script);
      }
      Files.createFile(folder.resolve(INSTALLED));
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  private void run(Path where, String... command) throws IOException {
    var log = folder.resolve("npm.log");
    var program =
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      var process = start(program);
      if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.destroyForcibly();
        fail("%s cannot be installed:%n%s".formatted(id, Files.readString(log)));
      }
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      fail("interrupted while npm was installing " + id);
    }
  }

  private Process start(ProcessBuilder program) {
    try {
      return program.start();
    } catch (IOException absent) {
      var message = "npm is needed to install " + id + " and was not found";
      return "required".equals(System.getenv("ERRAND_TEST_NPM")) ? fail(message) : abort(message);
    }
  }
}
