package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.ServiceAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Manages nodes as Kubernetes manages pods, with the settings of the manifest: probes them, adds
 * ready nodes to the service address, and stops and starts them.
 */
final class Kubelet implements AutoCloseable {

  /** The time until all parts of a cluster know that a pod is terminating. */
  private static final Duration SPREAD = Duration.ofSeconds(2);

  /** A regular end, or an end by SIGTERM. */
  private static final List<Integer> GOOD_EXITS = List.of(0, 128 + 15);

  private final Terms terms;
  private final ServiceAddress service;
  private final Set<Node> terminating = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService probes = Executors.newScheduledThreadPool(3);

  /**
   * The settings of the manifest.
   *
   * @param period between two readiness probes
   * @param failures failed probes in succession after which a pod is not ready
   * @param preStop between the decision to stop a pod and SIGTERM
   * @param grace for the whole stop, preStop included
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

  /** Starts to probe the node and waits until it is ready. */
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
        .failFast(node.name() + " has ended, see its log", () -> !node.isAlive())
        .until(() -> service.has(node.port()));
  }

  /**
   * Stops a node, starts it again and waits until it is ready.
   *
   * @return the time from SIGTERM to the end of the process
   */
  Duration replace(Node node) throws IOException, InterruptedException {
    terminating.add(node);
    Thread.sleep(SPREAD);
    service.remove(node.port());
    Thread.sleep(terms.preStop().minus(SPREAD));
    var from = System.nanoTime();
    var stopped = node.terminate(terms.grace().minus(terms.preStop()));
    var duration = Duration.ofNanos(System.nanoTime() - from);
    assertThat(stopped).as(node.name() + " stops within its grace period").isTrue();
    assertThat(node.exitCode()).as("exit code of " + node.name()).isIn(GOOD_EXITS);
    node.startAgain();
    terminating.remove(node);
    awaitReady(node);
    return duration;
  }

  @Override
  public void close() {
    probes.shutdownNow();
  }
}
