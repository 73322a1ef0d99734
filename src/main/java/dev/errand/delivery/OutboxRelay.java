package dev.errand.delivery;

import dev.errand.node.HintListener;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.TransientDatabaseError;
import dev.errand.trace.Spans;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Replays due rows into their parents, on every node: once a second, and at once after a hint (C1).
 */
@ApplicationScoped
public class OutboxRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(OutboxRelay.class);
  private static final int BATCH = 50;

  private final OutboxStore outbox;
  private final RelayStep step;
  private final DeliveryLag lag;
  private final Spans spans;

  OutboxRelay(OutboxStore outbox, RelayStep step, DeliveryLag lag, Spans spans) {
    this.outbox = outbox;
    this.step = step;
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

  /** Replays everything that is due now. */
  public void runDue() {
    List<Delivery> due;
    do {
      due = outbox.due(BATCH);
      due.forEach(this::replay);
    } while (due.size() == BATCH);
  }

  /**
   * Around one row: whatever fails here is written to the row and tried again later; the other rows
   * go on. A busy session or database is no failure of the row.
   */
  private void replay(Delivery delivery) {
    try {
      if (deliver(delivery)) {
        Failpoint.RELAYED.pass();
        lag.delivered(delivery);
      }
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "Outbox row %s could not be delivered and is tried again", delivery.id());
      if (TransientDatabaseError.is(fault)) {
        outbox.postpone(delivery.id());
      } else {
        step.failed(delivery, "delivery failed: " + fault.getClass().getSimpleName());
      }
    }
  }

  private boolean deliver(Delivery delivery) {
    try (var span =
        spans.delivery(delivery.to().toString(), delivery.target(), delivery.traceParent())) {
      boolean delivered = span.watch(() -> step.replay(delivery));
      if (!delivered) {
        span.forget();
      }
      return delivered;
    }
  }
}
