package dev.errand.delivery;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.DueDeliveries;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.postgres.SqlErrors;
import dev.errand.setting.Bounds;
import dev.errand.trace.Spans;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Delivers due rows to their parents' inboxes, on every node: once a second, and at once after a
 * hint. The rows of one parent that are due together are delivered in one transaction. Webhooks are
 * sent by {@link dev.errand.delivery.webhook.WebhookRelay}.
 */
@Singleton
public class OutboxRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(OutboxRelay.class);

  /**
   * Rows that are read together. The more wait, the more of them are for the same parents, and the
   * fewer transactions they need.
   */
  private static final int ROWS = 1000;

  private static final int BYTES = 2 << 20;

  private final DueDeliveries queue;
  private final OutboxStore outbox;
  private final ParentInbox parents;
  private final DeadLetters deadLetters;
  private final OutboxConfig config;
  private final DeliveryLag lag;
  private final Spans spans;
  private final IsolatedSteps steps;

  OutboxRelay(
      DueDeliveries queue,
      OutboxStore outbox,
      ParentInbox parents,
      DeadLetters deadLetters,
      OutboxConfig config,
      DeliveryLag lag,
      Spans spans,
      IsolatedSteps steps) {
    this.queue = queue;
    this.outbox = outbox;
    this.parents = parents;
    this.deadLetters = deadLetters;
    this.config = config;
    this.lag = lag;
    this.spans = spans;
    this.steps = steps;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Deliveries", DueDeliveries.SOME_DUE, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.OUTBOX;
  }

  @Override
  public void hinted() {
    runDue();
  }

  /** Delivers all rows that are due now. */
  public synchronized void runDue() {
    DueDeliveries.Due due;
    int handled;
    do {
      due = queue.read(ROWS, BYTES);
      handled = deliverAll(due.rows());
    } while (due.more() && handled > 0);
  }

  /**
   * Rows for sessions that another transaction holds come last, and wait for the session. When that
   * was without effect, the other rows for the session are postponed without waiting again.
   *
   * @return how many rows were delivered, settled or postponed
   */
  private int deliverAll(List<Delivery> due) {
    var held = new ArrayList<Delivery>();
    var handled =
        steps.countIsolated(
            "deliver",
            together(due),
            rows -> {
              var waiting = deliver(rows, false);
              held.addAll(waiting);
              return waiting.size() < rows.size();
            });
    var busy = new HashSet<SessionId>();
    return handled
        + steps.countIsolated(
            "deliver",
            together(held),
            rows -> {
              var to = rows.getFirst().to();
              if (busy.contains(to)) {
                rows.forEach(row -> outbox.postpone(row.id()));
              } else if (!deliver(rows, true).isEmpty()) {
                busy.add(to);
              }
              return true;
            });
  }

  /**
   * Rows that are delivered in one transaction: those of one session. A traced row is delivered on
   * its own, because its delivery is a span of its own trace.
   */
  private static List<List<Delivery>> together(List<Delivery> rows) {
    var groups =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    row -> row.traceParent() == null ? row.to() : row.id(),
                    LinkedHashMap::new,
                    Collectors.toList()));
    return List.copyOf(groups.values());
  }

  /**
   * Around the rows of one transaction. When it fails, each row is tried on its own; its failure is
   * written to the row, which is tried again later. A busy session or database does not count as a
   * failed attempt.
   *
   * @return the rows whose session or database is busy
   */
  private List<Delivery> deliver(List<Delivery> rows, boolean waits) {
    try {
      var outcome = traced(rows, waits);
      if (!outcome.delivered().isEmpty()) {
        Failpoint.RELAYED.pass();
        outcome.delivered().forEach(lag::delivered);
      }
      if (waits) {
        outcome.held().forEach(row -> outbox.postpone(row.id()));
      }
      return outcome.held();
    } catch (RuntimeException fault) {
      var isBusy = SqlErrors.isTransient(fault);
      if (rows.size() > 1 && !(waits && isBusy)) {
        LOG.debugf(fault, "Outbox rows %s are delivered one by one", rows);
        var held = new ArrayList<Delivery>();
        steps.forEachIsolated("deliver", rows, row -> held.addAll(deliver(List.of(row), waits)));
        return held;
      }
      LOG.warnf(fault, "Outbox rows %s could not be delivered and are tried again", rows);
      if (isBusy) {
        rows.forEach(row -> outbox.postpone(row.id()));
        return waits ? rows : List.of();
      }
      failed(rows.getFirst(), "delivery failed: " + fault.getClass().getSimpleName());
      return List.of();
    }
  }

  private ParentInbox.Outcome traced(List<Delivery> rows, boolean waits) {
    var first = rows.getFirst();
    try (var span = spans.delivery(first.to().toString(), first.target(), first.traceParent())) {
      var outcome = span.watch(() -> parents.deliver(first.to(), rows, waits));
      if (outcome.delivered().isEmpty()) {
        span.forget();
      }
      return outcome;
    }
  }

  /** Counts a failed attempt; after the last one the row is dead. */
  private void failed(Delivery delivery, String error) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          if (outbox.countFailure(delivery.id(), null, error) >= config.attempts()) {
            deadLetters.markDead(delivery.id(), error);
          } else {
            outbox.postpone(delivery.id());
          }
        });
  }

  /** Retries of the relay. */
  @ConfigMapping(prefix = "errand.outbox")
  public interface OutboxConfig {

    /**
     * The number of failed deliveries into a session after which a row is dead, 1 to 100. Default
     * 10, which takes about a quarter of an hour. A busy session or database does not count. More
     * tolerates longer disturbances; fewer notifies an operator sooner.
     */
    @WithDefault("10")
    @Bounds(min = "1", max = "100")
    int attempts();
  }
}
