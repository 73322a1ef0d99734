package dev.errand.kit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The command that starts the packaged service in tests. A test starts many processes that live for
 * seconds, so the command uses the AOT cache of the build and compiles little.
 */
public final class ServiceCommand {

  private static final List<String> CHEAP_START =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-AOTReplayTraining",
          "-Xlog:disable",
          "-Xlog:all=warning:stderr",
          "-Xlog:aot*=error:stderr");

  /** Where PostgreSQL is unpacked, so that not each home needs a copy. */
  private static final String BINARIES = "ot.epg.working-dir";

  private ServiceCommand() {}

  /** The jar that the build has packaged. */
  public static Path jar() {
    return Path.of(System.getProperty("errand.jar", "target/quarkus-app/quarkus-run.jar"))
        .toAbsolutePath();
  }

  /** A home with a new database, made by the build; absent when the jar was packaged by hand. */
  static Path preparedHome() {
    return jar().resolveSibling("prepared-home");
  }

  /** The command line that starts this jar with a heap of this many megabytes. */
  public static List<String> of(Path jar, int heapMegabytes) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + heapMegabytes + "m");
    command.addAll(CHEAP_START);
    Optional.ofNullable(System.getProperty(BINARIES))
        .ifPresent(directory -> command.add("-D" + BINARIES + "=" + directory));
    var cache = jar.resolveSibling("app.aot");
    if (Files.exists(cache)) {
      command.add("-XX:AOTCache=" + cache);
    }
    command.addAll(List.of("-jar", jar.toString()));
    return command;
  }
}
