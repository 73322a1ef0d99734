package dev.errand.delivery;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.TransientDatabaseError;
import dev.errand.trace.Spans;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
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

  OutboxRelay(
      OutboxStore outbox,
      ParentInbox parents,
      DeadLetters deadLetters,
      OutboxConfig config,
      DeliveryLag lag,
      Spans spans) {
    this.outbox = outbox;
    this.parents = parents;
    this.deadLetters = deadLetters;
    this.config = config;
    this.lag = lag;
    this.spans = spans;
  }

  @Override
  public Topic topic() {
    return Topic.OUTBOX;
  }

  @Override
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void hinted() {
    runDue();
  }

  /** Delivers all rows that are due now. */
  public void runDue() {
    List<Delivery> due;
    do {
      due = outbox.due(BATCH);
      due.forEach(this::deliver);
    } while (due.size() == BATCH);
  }

  /**
   * Around one row: a failure is written to the row, which is tried again later, and the sweep
   * continues with the next row. A busy session or database does not count as a failed attempt.
   */
  private void deliver(Delivery delivery) {
    try {
      if (traced(delivery)) {
        Failpoint.RELAYED.pass();
        lag.delivered(delivery);
      }
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "Outbox row %s could not be delivered and is tried again", delivery.id());
      if (TransientDatabaseError.is(fault)) {
        outbox.postpone(delivery.id());
      } else {
        failed(delivery, "delivery failed: " + fault.getClass().getSimpleName());
      }
    }
  }

  private boolean traced(Delivery delivery) {
    try (var span =
        spans.delivery(delivery.to().toString(), delivery.target(), delivery.traceParent())) {
      boolean delivered = span.watch(() -> parents.deliver(delivery));
      if (!delivered) {
        span.forget();
      }
      return delivered;
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
