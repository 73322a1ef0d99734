package dev.errand.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The lines that the embedded server, and the program that creates its data, have written to the
 * log since this object was created.
 */
final class ServerLog {

  private static final Pattern REASON =
      Pattern.compile("(?:error|FATAL|PANIC): +(.+)", Pattern.CASE_INSENSITIVE);

  private final Path file;
  private final long from;

  ServerLog(Path file) throws IOException {
    this.file = file;
    this.from = Files.size(file);
  }

  /** Returns the first error, or else the last line; empty when nothing was written. */
  Optional<String> reason() throws IOException {
    var lines = lines();
    return lines.stream()
        .flatMap(line -> REASON.matcher(line).results())
        .map(found -> found.group(1))
        .findFirst()
        .or(() -> lines.isEmpty() ? Optional.empty() : Optional.of(lines.getLast()));
  }

  private List<String> lines() throws IOException {
    try (var log = Files.newInputStream(file)) {
      log.skipNBytes(from);
      return new String(log.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }
}
