package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Looks after nodes as Kubernetes looks after pods, with the numbers of their manifest: probes
 * them, gives a ready one a place behind the service's address, and stops and starts them.
 */
final class Kubelet implements AutoCloseable {

  /** Until everybody in a cluster knows that a pod is about to go. */
  private static final Duration SPREAD = Duration.ofSeconds(2);

  /** An end of its own accord, or by SIGTERM. */
  private static final List<Integer> GOOD_EXITS = List.of(0, 128 + 15);

  private final Terms terms;
  private final ServiceAddress service;
  private final Set<Node> terminating = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService probes = Executors.newScheduledThreadPool(3);

  /**
   * What the manifest says.
   *
   * @param period between two looks at whether it is ready
   * @param failures after so many in a row it is not
   * @param preStop from the decision to stop it until it is told
   * @param grace for all of its stop, preStop included
   */
  record Terms(Duration period, int failures, Duration preStop, Duration grace) {

    static Terms of(JsonNode pod) {
      var container = pod.at("/containers/0");
      return new Terms(
          seconds(container.at("/readinessProbe/periodSeconds")),
          container.at("/readinessProbe/failureThreshold").asInt(),
          seconds(container.at("/lifecycle/preStop/sleep/seconds")),
          seconds(pod.get("terminationGracePeriodSeconds")));
    }

    private static Duration seconds(JsonNode number) {
      assertThat(number.isInt()).as("a number of seconds: " + number).isTrue();
      return Duration.ofSeconds(number.asInt());
    }
  }

  Kubelet(Terms terms, ServiceAddress service) {
    this.terms = terms;
    this.service = service;
  }

  /** Has it probed from now on; returns when it is ready. */
  void watch(Node node) {
    var failed = new int[1];
    probes.scheduleAtFixedRate(
        () -> probe(node, failed), 0, terms.period().toMillis(), TimeUnit.MILLISECONDS);
    awaitReady(node);
  }

  private void probe(Node node, int[] failed) {
    failed[0] = node.isReady() ? 0 : failed[0] + 1;
    if (terminating.contains(node) || failed[0] >= terms.failures()) {
      service.remove(node.port());
    } else if (failed[0] == 0) {
      service.add(node.port());
    }
  }

  private void awaitReady(Node node) {
    await(node.name() + " gets requests")
        .atMost(Cluster.START_LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .failFast(node.name() + " has died, see its log", () -> !node.isAlive())
        .until(() -> service.has(node.port()));
  }

  /**
   * Stops a node and starts it again; returns when it is ready.
   *
   * @return how long its stop took from SIGTERM on
   */
  Duration replace(Node node) throws IOException, InterruptedException {
    terminating.add(node);
    Thread.sleep(SPREAD);
    service.remove(node.port());
    Thread.sleep(terms.preStop().minus(SPREAD));
    var from = System.nanoTime();
    var stopped = node.terminate(terms.grace().minus(terms.preStop()));
    var took = Duration.ofNanos(System.nanoTime() - from);
    assertThat(stopped).as(node.name() + " stops within its grace period").isTrue();
    assertThat(node.exitCode()).as("exit code of " + node.name()).isIn(GOOD_EXITS);
    node.startAgain();
    terminating.remove(node);
    awaitReady(node);
    return took;
  }

  @Override
  public void close() {
    probes.shutdownNow();
  }
}
