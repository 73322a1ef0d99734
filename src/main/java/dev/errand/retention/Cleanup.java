package dev.errand.retention;

import dev.errand.event.EventRedaction;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionCloser;
import dev.errand.session.SessionStore;
import dev.errand.setting.Bounds;
import dev.errand.task.EndedTasks;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;

/**
 * Deletes the words of children whose task has {@code cleanup: delete}, on every node. First, when
 * the result was delivered, acknowledged or dismissed: the transcripts of the child and of all
 * sessions below it, and the words in their events, one session per transaction. Then, when the
 * parent has read the result: the words of the task in its row, in the outbox and in the events of
 * its parent, one task per transaction. Rows, ids and times stay.
 */
@Singleton
class Cleanup {

  private static final Logger LOG = Logger.getLogger(Cleanup.class);
  private static final int BATCH = 50;

  /** The time after a search without a result is as many times as long as the search. */
  private static final int REST = 20;

  private final EndedTasks ended;
  private final SessionCloser closer;
  private final SessionStore sessions;
  private final SessionDeletion deletion;
  private final OutboxStore outbox;
  private final EventRedaction events;
  private final IsolatedSteps steps;
  private final CleanupConfig config;
  private volatile long dueAt = System.nanoTime();

  Cleanup(
      EndedTasks ended,
      SessionCloser closer,
      SessionStore sessions,
      SessionDeletion deletion,
      OutboxStore outbox,
      EventRedaction events,
      IsolatedSteps steps,
      CleanupConfig config) {
    this.ended = ended;
    this.closer = closer;
    this.sessions = sessions;
    this.deletion = deletion;
    this.outbox = outbox;
    this.events = events;
    this.steps = steps;
    this.config = config;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Clean-up", EndedTasks.SOME_TO_CLEAN, this::cleanWhenRested));
  }

  /**
   * Cleans up unless it is too early. Results that no client acknowledges are searched again and
   * again. Among many of them this takes long, and is repeated less often while nothing is found.
   */
  private void cleanWhenRested() {
    var startedAt = System.nanoTime();
    if (startedAt - dueAt >= 0) {
      var searches = List.<BooleanSupplier>of(this::cleanDue, this::redactDue);
      var found = steps.countIsolated("clean_up", searches, BooleanSupplier::getAsBoolean) > 0;
      var now = System.nanoTime();
      dueAt = found ? now : now + REST * (now - startedAt);
    }
  }

  private boolean cleanDue() {
    var due = ended.toClean(config.unread(), BATCH);
    steps.forEachIsolated("clean_up", due, this::clean);
    return !due.isEmpty();
  }

  private boolean redactDue() {
    var due = ended.toRedact(BATCH);
    steps.forEachIsolated("redact", due, this::redact);
    return !due.isEmpty();
  }

  /** Cleans the child first: it cannot delegate any more, so the sessions below it are complete. */
  private void clean(EndedTasks.CleanableTask due) {
    if (deletion.closeAfter(due.task(), due.child())
        && sessions.subtree(due.child()).stream().allMatch(deletion::close)) {
      sessions.subtree(due.child()).forEach(events::redact);
      ended.markCleaned(due);
      LOG.infof("Task %s is cleaned up: the transcript of %s is deleted", due.task(), due.child());
    }
  }

  /** Redacts the task itself last, so that a process that dies in the meantime begins again. */
  private void redact(EndedTasks.CleanableTask due) {
    ended
        .redactable(due, sessions.subtree(due.child()))
        .forEach(task -> QuarkusTransaction.requiringNew().run(() -> redact(task)));
  }

  private void redact(EndedTasks.RedactableTask task) {
    ended.redact(task.id());
    var deliveries = outbox.redact(task.id());
    if (task.external()) {
      deliveries.forEach(closer::redactNotice);
    }
    events.redact(task.parent(), task.id(), task.external(), task.createdAt());
  }

  /** The clean-up of children with {@code cleanup: delete}. */
  @ConfigMapping(prefix = "errand.cleanup")
  interface CleanupConfig {

    /**
     * How long after the end of its task the transcript of a child is kept for an external parent
     * without a callback that does not acknowledge the result. Default 24 h, at least 1 s. A longer
     * time leaves slow clients more time to read, a shorter one keeps the database small.
     */
    @WithDefault("24h")
    @Bounds(min = "1s")
    Duration unread();
  }
}
