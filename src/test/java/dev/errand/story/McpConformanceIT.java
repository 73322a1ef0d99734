package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.NpmPackage;
import dev.errand.kit.Program;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The conformance suite of the protocol. What of it does not apply is listed, with the reason, in
 * {@code src/test/resources/mcp}; the suite fails when anything else fails, and when an entry of
 * the list passes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpConformanceIT {

  private static final Path LISTS = Path.of("src/test/resources/mcp").toAbsolutePath();
  private static final String MODERN = "2026-07-28";

  private final Path home;
  private final String suite;
  private final String node;
  private final Service service;

  McpConformanceIT(@TempDir Path home) throws IOException {
    this.home = home;
    this.suite = NpmPackage.CONFORMANCE.file("dist/index.js").toString();
    this.node = NpmPackage.NODE.file("bin/node").toString();
    this.service =
        Service.start(home.resolve("service"), Map.of("ERRAND_MODEL", "offline:planner"));
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2025-11-25", MODERN})
  void serviceMeetsWhatARevisionRequires(String revision) {
    assertThat(run(revision, "--requirements", revision)).contains("✓ tools-list:");
  }

  /** Scenarios that a revision does not require, because they are of an extension or newer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http-header-validation",
        "tasks-capability-negotiation",
        "tasks-dispatch-and-envelope",
        "tasks-request-headers"
      })
  void servicePassesTheFurtherScenario(String scenario) {
    assertThat(run(MODERN, "--spec-version", MODERN, "--force", "--scenario", scenario))
        .contains("Baseline check passed");
  }

  private String run(String revision, String... options) {
    var command = new ArrayList<>(List.of(node, suite, "server"));
    command.addAll(List.of("--url", service.uri("/mcp").toString()));
    command.addAll(List.of("--expected-failures", LISTS + "/conformance-" + revision + ".yaml"));
    command.addAll(List.of(options));
    var ended = Program.run(home, command.toArray(String[]::new));
    ended.output().lines().filter(McpConformanceIT::isVerdict).forEach(System.out::println);
    assertThat(ended.exitCode()).as(ended.output()).isZero();
    return ended.output();
  }

  private static boolean isVerdict(String line) {
    return line.matches("(✓|✗|Total|Passed|  ~).*");
  }
}
