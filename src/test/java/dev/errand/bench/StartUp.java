package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Process start → ready, with an existing home, and the memory of a new process. */
final class StartUp {

  private static final long SETTLE_MS = 3000;

  private final Map<String, String> settings;
  private final Report report;
  private final Path home;

  StartUp(Map<String, String> settings, Report report) throws IOException {
    this.settings = settings;
    this.report = report;
    this.home = Files.createTempDirectory("errand-bench-start");
  }

  /** Creates the home, which is not measured. */
  void prepare() throws IOException, InterruptedException {
    BenchService.start(home, settings).close();
  }

  void measure() throws IOException, InterruptedException {
    double asShipped;
    try (var service = BenchService.start(home, settings)) {
      asShipped = service.ageMillis();
      Thread.sleep(SETTLE_MS);
      BenchProcess.residentMegabytes(service.pid())
          .ifPresent(megabytes -> report.add("resident MB after start", megabytes));
    }
    report.add("start → ready, ms", asShipped);
    var plain = System.getProperty("bench.plain.jar");
    if (plain != null) {
      try (var service = BenchService.start(Path.of(plain), List.of(), home, settings)) {
        var plainly = service.ageMillis();
        report.add("start → ready, ms, plain fast-jar", plainly);
        report.add("start ÷ plain fast-jar", asShipped / plainly);
      }
    }
  }
}
