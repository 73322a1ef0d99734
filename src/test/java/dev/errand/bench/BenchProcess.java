package dev.errand.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What Linux knows of a process. Elsewhere nothing is known, and the report shows gaps. */
final class BenchProcess {

  private static final Path PROC = Path.of("/proc");
  private static final long TICK_MS = 10;
  private static final int PARENT = 1;
  private static final int USER_TIME = 11;
  private static final int REAPED_SYSTEM_TIME = 14;

  private BenchProcess() {}

  /** Processor time in milliseconds, that of its ended children included. */
  static long processorMillis(long pid) {
    return stat(PROC.resolve(Long.toString(pid)))
        .map(fields ->
            TICK_MS
                * Arrays.stream(fields, USER_TIME, REAPED_SYSTEM_TIME + 1)
                    .mapToLong(Long::parseLong)
                    .sum())
        .orElse(0L);
  }

  /** Processor time in milliseconds of a process and its children, such as those of PostgreSQL. */
  static long familyMillis(long pid) {
    return processorMillis(pid) + children(pid).mapToLong(BenchProcess::processorMillis).sum();
  }

  private static Stream<Long> children(long parent) {
    try (var processes = Files.list(PROC)) {
      return processes
          .filter(process -> process.getFileName().toString().matches("\\d+"))
          .filter(process ->
              stat(process)
                  .filter(fields -> fields[PARENT].equals(Long.toString(parent)))
                  .isPresent())
          .map(process -> Long.valueOf(process.getFileName().toString()))
          .toList()
          .stream();
    } catch (IOException notLinux) {
      return Stream.empty();
    }
  }

  /** The fields after the name, which may contain spaces; none if the process has ended. */
  private static Optional<String[]> stat(Path process) {
    try {
      var line = Files.readString(process.resolve("stat"));
      return Optional.of(line.substring(line.lastIndexOf(')') + 2).split(" "));
    } catch (IOException ended) {
      return Optional.empty();
    }
  }

  /** Resident memory in megabytes. */
  static OptionalLong residentMegabytes(long pid) {
    var kilobytes = status(pid, "VmRSS:");
    return kilobytes.isEmpty() ? kilobytes : OptionalLong.of(kilobytes.getAsLong() / 1024);
  }

  /** Threads of the operating system. */
  static OptionalLong threads(long pid) {
    return status(pid, "Threads:");
  }

  private static OptionalLong status(long pid, String field) {
    try (var lines = Files.lines(PROC.resolve(pid + "/status"))) {
      return lines
          .filter(line -> line.startsWith(field))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst();
    } catch (IOException | UncheckedIOException ended) {
      return OptionalLong.empty();
    }
  }

  /** Bytes of the reachable objects of a Java process, after a full collection. */
  static long liveBytes(long pid) throws IOException {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    var histogram = new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram").start();
    try (var lines = histogram.inputReader()) {
      return lines
          .lines()
          .filter(line -> line.startsWith("Total "))
          .mapToLong(line -> Long.parseLong(line.trim().split("\\s+")[2]))
          .findFirst()
          .orElse(0);
    }
  }

  /** Starts a Java program with the class path and the JVM of this process. */
  static Process java(Class<?> main, Map<String, String> environment, String... arguments)
      throws IOException {
    var command =
        Stream.concat(
            Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()),
            Stream.of(arguments));
    var builder = new ProcessBuilder(command.toList());
    builder.environment().putAll(environment);
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
