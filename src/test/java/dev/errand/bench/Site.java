package dev.errand.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What all parts share. */
record Site(Model model, Map<String, String> settings, Report report) {

  /** A new node on a database. */
  BenchService node(BenchDatabase database) throws IOException, InterruptedException {
    return node(database.environment());
  }

  /** A new node with further settings; unless they name a database, it has one of its own. */
  BenchService node(Map<String, String> more) throws IOException, InterruptedException {
    return node(List.of(), more);
  }

  /** A new node with this heap and further settings, and a database of its own. */
  BenchService node(int heapMegabytes, Map<String, String> more)
      throws IOException, InterruptedException {
    return node(List.of("-Xmx" + heapMegabytes + "m"), more);
  }

  /**
   * @param options of Java
   */
  BenchService node(List<String> options, Map<String, String> more)
      throws IOException, InterruptedException {
    var environment = new HashMap<>(settings);
    environment.putAll(more);
    return BenchService.start(Files.createTempDirectory("errand-bench"), options, environment);
  }
}
