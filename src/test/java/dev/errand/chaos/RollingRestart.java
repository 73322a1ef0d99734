package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.deploy.Manifests;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Restarts all nodes one after the other, as Kubernetes would do it by the manifests. No client
 * notices.
 */
final class RollingRestart {

  private static final int WARM = 30;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private RollingRestart() {}

  /** Every request is answered, and every task ends once, while all nodes are restarted. */
  static void check(Cluster cluster, long seed) throws IOException, InterruptedException {
    try (var service = new ServiceAddress();
        var kubelet = new Kubelet(Kubelet.Terms.of(Manifests.pod()), service)) {
      cluster.nodes().forEach(kubelet::watch);
      try (var clients = new Clients(service.port(), seed)) {
        await().atMost(PATIENCE).until(() -> clients.answered() > WARM);
        var stops = new ArrayList<Duration>();
        for (var node : cluster.nodes()) {
          stops.add(kubelet.replace(node));
        }
        clients.leave();
        System.out.println(clients.tally() + "; from SIGTERM to the end " + stops);
        assertThat(clients.failures()).as("requests that failed").isEmpty();
        assertWholeWork(cluster, clients);
        clients.streams().forEach((session, stream) -> assertWhole(cluster, session, stream));
      }
    }
  }

  private static void assertWholeWork(Cluster cluster, Clients clients) throws IOException {
    var checker = new Checker(cluster.jdbi());
    await().atMost(PATIENCE).until(checker::isQuiet);
    assertThat(checker.broken()).isEmpty();
    assertThat(checker.lost(clients.accepted())).as("lost tasks").isEmpty();
    assertThat(checker.toldTwice()).isEmpty();
    assertThat(Checker.doneTwice(cluster.sinkFile())).isEmpty();
    assertThat(
            cluster.texts(
                "select id::text || ' is ' || state from task where state <> 'completed'"))
        .isEmpty();
  }

  /** Its node went, so it went on at another; it was never cut, and nothing is missing or twice. */
  private static void assertWhole(Cluster cluster, String session, EventClient stream) {
    var sql = "select last_number::text from event_log where root_id = ?::uuid";
    var last = Long.parseLong(cluster.texts(sql, session.substring("ses_".length())).getFirst());
    await().atMost(PATIENCE).until(() -> stream.received().size() >= last);
    assertThat(stream.connections()).isGreaterThan(1);
    assertThat(stream.cuts()).isEmpty();
    var numbers = stream.received().stream().map(Received::id).toList();
    List<Long> all = LongStream.rangeClosed(1, last).boxed().toList();
    assertThat(numbers).isEqualTo(all);
  }
}
