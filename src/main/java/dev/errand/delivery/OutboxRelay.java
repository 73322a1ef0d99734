package dev.errand.delivery;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.postgres.TransientDatabaseError;
import dev.errand.trace.Spans;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Delivers due rows to their parents' inboxes, on every node: once a second, and at once after a
 * hint. Webhooks are sent by {@link dev.errand.delivery.webhook.WebhookRelay}.
 */
@ApplicationScoped
public class OutboxRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(OutboxRelay.class);
  private static final int BATCH = 50;

  private final OutboxStore outbox;
  private final ParentInbox parents;
  private final DeadLetters deadLetters;
  private final OutboxConfig config;
  private final DeliveryLag lag;
  private final Spans spans;
  private final IsolatedSteps steps;

  OutboxRelay(
      OutboxStore outbox,
      ParentInbox parents,
      DeadLetters deadLetters,
      OutboxConfig config,
      DeliveryLag lag,
      Spans spans,
      IsolatedSteps steps) {
    this.outbox = outbox;
    this.parents = parents;
    this.deadLetters = deadLetters;
    this.config = config;
    this.lag = lag;
    this.spans = spans;
    this.steps = steps;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Deliveries", OutboxStore.SOME_DUE, this::hinted));
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
    List<Delivery> due;
    int handled;
    do {
      due = outbox.due(BATCH);
      handled = deliverAll(due);
    } while (due.size() == BATCH && handled > 0);
  }

  /**
   * Rows for sessions that another transaction holds come last, and wait for the session. When that
   * was without effect, the other rows for the session are postponed without waiting again.
   *
   * @return how many rows were delivered, settled or postponed
   */
  private int deliverAll(List<Delivery> due) {
    var held = new ArrayList<Delivery>();
    var handled = steps.countIsolated("deliver", due, row -> deliver(row, false) || !held.add(row));
    var busy = new HashSet<SessionId>();
    return handled
        + steps.countIsolated(
            "deliver",
            held,
            row -> {
              if (busy.contains(row.to())) {
                outbox.postpone(row.id());
              } else if (!deliver(row, true)) {
                busy.add(row.to());
              }
              return true;
            });
  }

  /**
   * Around one row: a failure is written to the row, which is tried again later. A busy session or
   * database does not count as a failed attempt.
   *
   * @return false when the session or the database is busy
   */
  private boolean deliver(Delivery delivery, boolean waits) {
    try {
      var outcome = traced(delivery, waits);
      if (outcome == ParentInbox.Outcome.DELIVERED) {
        Failpoint.RELAYED.pass();
        lag.delivered(delivery);
      }
      if (outcome == ParentInbox.Outcome.HELD && waits) {
        outbox.postpone(delivery.id());
      }
      return outcome != ParentInbox.Outcome.HELD;
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "Outbox row %s could not be delivered and is tried again", delivery.id());
      if (TransientDatabaseError.is(fault)) {
        outbox.postpone(delivery.id());
        return !waits;
      }
      failed(delivery, "delivery failed: " + fault.getClass().getSimpleName());
      return true;
    }
  }

  private ParentInbox.Outcome traced(Delivery delivery, boolean waits) {
    try (var span =
        spans.delivery(delivery.to().toString(), delivery.target(), delivery.traceParent())) {
      var outcome = span.watch(() -> parents.deliver(delivery, waits));
      if (outcome != ParentInbox.Outcome.DELIVERED) {
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
}
