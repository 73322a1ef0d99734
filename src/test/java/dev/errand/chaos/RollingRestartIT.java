package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.deploy.Manifests;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * All nodes are restarted one after the other, as Kubernetes would do it by the manifests, and
 * nobody who uses them notices (O3).
 */
class RollingRestartIT {

  private static final long SEED = 1;
  private static final int WARM = 30;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void everyRequestIsAnsweredAndEveryTaskEndsOnceWhileAllNodesAreRestarted() throws Exception {
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "rolling-");
    try (var cluster = new Cluster(home, ChaosIT.JAR.toAbsolutePath(), SEED, 3);
        var service = new ServiceAddress();
        var kubelet = new Kubelet(Kubelet.Terms.of(Manifests.pod()), service)) {
      cluster.nodes().forEach(kubelet::watch);
      try (var clients = new Clients(service.port(), SEED)) {
        await().atMost(PATIENCE).until(() -> clients.answered() > WARM);
        var stops = new ArrayList<Duration>();
        for (var node : cluster.nodes()) {
          stops.add(kubelet.replace(node));
        }
        clients.leave();
        var checker = new Checker(cluster.jdbi());
        await().atMost(PATIENCE).until(checker::isQuiet);
        System.out.printf(
            "%d requests, %d tasks from outside; from SIGTERM to the end %s%n",
            clients.answered(), clients.accepted().size(), stops);

        assertThat(clients.failures()).as("requests that failed").isEmpty();
        assertThat(checker.broken()).isEmpty();
        assertThat(checker.lost(clients.accepted())).as("lost tasks").isEmpty();
        assertThat(checker.toldTwice()).isEmpty();
        assertThat(Checker.doneTwice(cluster.sinkFile())).isEmpty();
        assertThat(
                cluster.texts(
                    "select id::text || ' ' || state from task where state <> 'completed'"))
            .isEmpty();
        assertThat(clients.streams()).allSatisfy(RollingRestartIT::assertWhole);
      }
    }
  }

  /** Its ends were told of, and nothing is missing or there twice. */
  private static void assertWhole(EventClient stream) {
    assertThat(stream.cuts()).isEmpty();
    var numbers = stream.received().stream().map(Received::id).toList();
    assertThat(numbers)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, numbers.size()).boxed().toList());
  }
}
