package dev.errand.delivery;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.postgres.SqlErrors;
import dev.errand.setting.Bounds;
import dev.errand.task.OwedResults.OwedQuery;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;

/**
 * Delivers due rows to their parents' inboxes, on every node: once a second, and at once after a
 * hint. Rows that are due together are delivered in one transaction for up to 16 parents. What
 * leaves the service is sent by {@link dev.errand.delivery.outgoing.OutgoingRelay}.
 */
@Singleton
public class OutboxRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(OutboxRelay.class);

  /** Rows that are looked at together, to find the parents that they are for. */
  private static final int ROWS = 1000;

  /** Parents of one transaction. More would keep their rows locked for longer. */
  private static final int PARENTS = 16;

  private static final int BYTES = 2 << 20;

  private final OutboxStore outbox;
  private final ParentInbox parents;
  private final DeadLetters deadLetters;
  private final OutboxConfig config;
  private final IsolatedSteps steps;

  OutboxRelay(
      OutboxStore outbox,
      ParentInbox parents,
      DeadLetters deadLetters,
      OutboxConfig config,
      IsolatedSteps steps) {
    this.outbox = outbox;
    this.parents = parents;
    this.deadLetters = deadLetters;
    this.config = config;
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
    boolean more;
    do {
      var due = outbox.receivers(ROWS);
      var progress = new PassProgress();
      steps.forEachIsolated("deliver", batches(due.sessions()), batch -> deliver(batch, progress));
      // A session that another transaction has locked is waited for, after all others.
      steps.forEachIsolated("deliver", progress.locked, to -> deliverTo(to, true, progress));
      more = progress.handled > 0 && (due.more() || progress.more);
    } while (more);
  }

  /** The progress of one pass over the due rows. */
  private static final class PassProgress {

    private int handled;
    private boolean more;
    private final List<SessionId> locked = new ArrayList<>();
  }

  private static List<List<SessionId>> batches(List<SessionId> sessions) {
    return IntStream.iterate(0, from -> from < sessions.size(), from -> from + PARENTS)
        .mapToObj(from -> sessions.subList(from, Math.min(sessions.size(), from + PARENTS)))
        .toList();
  }

  /** Delivers to some parents in one transaction. If it fails, each parent gets its own. */
  private void deliver(List<SessionId> batch, PassProgress progress) {
    if (batch.size() > 1) {
      try {
        deliver(new OwedQuery(batch, null, BYTES), false, progress);
        return;
      } catch (RuntimeException fault) {
        LOG.debugf(fault, "The deliveries to %s are made one by one", batch);
      }
    }
    steps.forEachIsolated("deliver", batch, to -> deliverTo(to, false, progress));
  }

  /**
   * Delivers to one parent. If it fails, each row is tried separately; its failure is written to
   * the row, which is tried again later. A busy session or database does not count as a failed
   * attempt.
   */
  private void deliverTo(SessionId to, boolean waits, PassProgress progress) {
    try {
      deliver(new OwedQuery(List.of(to), null, BYTES), waits, progress);
    } catch (RuntimeException fault) {
      if (waits && SqlErrors.isTransient(fault)) {
        LOG.warnf(fault, "%s is busy; what is due to it is delivered later", to);
        outbox.postpone(to);
        progress.handled++;
        return;
      }
      LOG.debugf(fault, "What is due to %s is delivered row by row", to);
      steps.forEachIsolated("deliver", outbox.rows(to), row -> deliverRow(to, row, progress));
    }
  }

  private void deliverRow(SessionId to, UUID row, PassProgress progress) {
    try {
      deliver(new OwedQuery(List.of(to), row, BYTES), true, progress);
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "Delivery %s failed and is tried again", row);
      progress.handled++;
      if (SqlErrors.isTransient(fault)) {
        outbox.postpone(row);
      } else {
        failed(row, "delivery failed: " + fault.getClass().getSimpleName());
      }
    }
  }

  private void deliver(OwedQuery asked, boolean waits, PassProgress progress) {
    var outcome = parents.deliver(asked, waits);
    if (!outcome.delivered().isEmpty()) {
      Failpoint.RELAYED.pass();
    }
    progress.handled += outcome.handled();
    progress.more |= outcome.more();
    progress.locked.addAll(outcome.locked());
  }

  /** Counts a failed attempt; after the last one the row is dead. */
  private void failed(UUID row, String error) {
    QuarkusTransaction.requiringNew()
        .run(() ->
            outbox
                .countFailure(row, null, error)
                .ifPresent(attempts -> {
                  if (attempts >= config.attempts()) {
                    deadLetters.markDead(row, error);
                  } else {
                    outbox.postpone(row);
                  }
                }));
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
