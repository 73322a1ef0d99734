package dev.errand.delivery;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.DeliveryState;
import dev.errand.postgres.AfterCommit;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Rows that could not be delivered, until an operator retries or dismisses them (C5). */
@ApplicationScoped
public class DeadLetters {

  private static final Logger LOG = Logger.getLogger(DeadLetters.class);

  private static final String MARK_DEAD =
      """
      update outbox
      set state = 'dead', dead_at = clock_timestamp(), last_error = :error, claim = null, claimed_until = null
      where id = :id and state = 'pending'
      returning task_id, session_id, target, attempts
      """;

  private static final String REVIVE =
      """
      update outbox
      set state = 'pending', attempts = 0, available_at = clock_timestamp(), dead_at = null
      where id = :id
      """;

  private final Jdbi jdbi;
  private final DeliveryList deliveries;
  private final DeliveryEvents events;
  private final AfterCommit afterCommit;
  private final Hints hints;

  DeadLetters(
      Jdbi jdbi,
      DeliveryList deliveries,
      DeliveryEvents events,
      AfterCommit afterCommit,
      Hints hints) {
    this.jdbi = jdbi;
    this.deliveries = deliveries;
    this.events = events;
    this.afterCommit = afterCommit;
    this.hints = hints;
  }

  /** What became of an operator's wish. */
  public sealed interface Answer {

    /**
     * @param delivery as it stands now
     */
    record Done(DeliveryView delivery) implements Answer {}

    /** It is not dead; nothing was changed. */
    record NotDead(String state) implements Answer {}

    record Unknown() implements Answer {}
  }

  /**
   * A delivery that was given up.
   *
   * @param task null when it was a message of the session itself
   */
  record Lost(@Nullable TaskId task, String target, int attempts, String error) {}

  /** The one place where a pending row becomes dead. Nothing happens to one that is settled. */
  @Transactional(TxType.MANDATORY)
  public void markDead(UUID id, String error) {
    var delivery = new DeliveryId(id);
    jdbi.useHandle(handle ->
        handle
            .createQuery(MARK_DEAD)
            .bind("id", id)
            .bind("error", error)
            .map((row, _) -> {
              var lost =
                  new Lost(
                      DeliveryList.task(row),
                      row.getString("target"),
                      row.getInt("attempts"),
                      error);
              events.dead(new SessionId(row.getObject("session_id", UUID.class)), delivery, lost);
              return lost;
            })
            .findOne()
            .ifPresent(lost -> afterCommit.run(() -> report(delivery, lost))));
  }

  private static void report(DeliveryId id, Lost lost) {
    LOG.errorf(
        "%s, %s, could not be delivered (%s): retry or dismiss it at /v1/deliveries",
        id,
        lost.task() == null ? "a message of a session" : "the notice of " + lost.task(),
        lost.error());
  }

  /** Makes a dead row pending and due, with all its attempts before it. */
  @Transactional
  public Answer retry(DeliveryId id) {
    var found = deliveries.lock(id);
    if (found.isEmpty()) {
      return new Answer.Unknown();
    }
    if (!found.get().state().equals(DeliveryState.DEAD.word())) {
      return new Answer.NotDead(found.get().state());
    }
    hints.afterCommit(Topic.OUTBOX);
    return change(id, REVIVE);
  }

  /** Gives a dead row up. Twice is once. */
  @Transactional
  public Answer dismiss(DeliveryId id) {
    var found = deliveries.lock(id);
    if (found.isEmpty()) {
      return new Answer.Unknown();
    }
    var state = found.get().state();
    if (state.equals(DeliveryState.SUPPRESSED.word())) {
      return new Answer.Done(found.get());
    }
    return state.equals(DeliveryState.DEAD.word())
        ? change(id, "update outbox set state = 'suppressed' where id = :id")
        : new Answer.NotDead(state);
  }

  private Answer change(DeliveryId id, String sql) {
    jdbi.useHandle(handle -> handle.createUpdate(sql).bind("id", id.value()).execute());
    return new Answer.Done(deliveries.lock(id).orElseThrow());
  }
}
