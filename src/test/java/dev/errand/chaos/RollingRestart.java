package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.deploy.Manifests;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import dev.errand.kit.ServiceAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Restarts all nodes one after another, as Kubernetes does with the settings of the manifests. No
 * client is affected.
 */
final class RollingRestart {

  private static final int WARM_UP_REQUESTS = 30;
  private static final Duration TIMEOUT = Duration.ofSeconds(180);

  private RollingRestart() {}

  /** Restarts all nodes and checks that every request is answered and every task ends once. */
  static void check(Cluster cluster, long seed) throws IOException, InterruptedException {
    try (var service = new ServiceAddress();
        var kubelet = new Kubelet(Kubelet.Terms.of(Manifests.pod()), service)) {
      cluster.nodes().forEach(kubelet::watch);
      try (var clients = new Clients(service.port(), seed)) {
        await().atMost(TIMEOUT).until(() -> clients.answered() > WARM_UP_REQUESTS);
        var stops = new ArrayList<Duration>();
        for (var node : cluster.nodes()) {
          stops.add(kubelet.replace(node));
        }
        clients.leave();
        System.out.println(clients.tally() + "; times from SIGTERM to the end " + stops);
        assertThat(clients.failures()).as("requests that failed").isEmpty();
        assertThat(clients.repeated())
            .as("requests sent twice: only on connections that were quiet until a node stopped")
            .isLessThanOrEqualTo(cluster.nodes().size());
        assertAllTasksEnded(cluster, clients);
        clients.streams().forEach((session, stream) -> assertComplete(cluster, session, stream));
      }
    }
  }

  private static void assertAllTasksEnded(Cluster cluster, Clients clients) throws IOException {
    var checker = new Checker(cluster.jdbi());
    await().atMost(TIMEOUT).until(checker::isQuiet);
    assertThat(checker.broken()).isEmpty();
    assertThat(checker.lost(clients.accepted())).as("lost tasks").isEmpty();
    assertThat(checker.notifiedTwice()).isEmpty();
    assertThat(Checker.doneTwice(cluster.sinkFile())).isEmpty();
    assertThat(
            cluster.texts(
                "select id::text || ' is ' || state from task where state <> 'completed'"))
        .isEmpty();
  }

  /**
   * The stream continued at another node, was never cut, and contains every event once. The session
   * of a client that happened not to speak has none.
   */
  private static void assertComplete(Cluster cluster, String session, EventClient stream) {
    var sql = "select coalesce(max(last_number), 0)::text from event_log where root_id = ?::uuid";
    var last = Long.parseLong(cluster.texts(sql, session.substring("ses_".length())).getFirst());
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() ->
            assertThat(stream.received())
                .as("events of %s after %s", session, stream.cuts())
                .hasSizeGreaterThanOrEqualTo((int) last));
    assertThat(stream.connections()).isGreaterThan(1);
    assertThat(stream.cuts()).isEmpty();
    var numbers = stream.received().stream().map(Received::id).toList();
    List<Long> all = LongStream.rangeClosed(1, last).boxed().toList();
    assertThat(numbers).isEqualTo(all);
  }
}
