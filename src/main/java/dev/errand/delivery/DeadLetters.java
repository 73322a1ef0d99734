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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
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
  private final DeliveryEvents events;
  private final AfterCommit afterCommit;
  private final Hints hints;

  DeadLetters(Jdbi jdbi, DeliveryEvents events, AfterCommit afterCommit, Hints hints) {
    this.jdbi = jdbi;
    this.events = events;
    this.afterCommit = afterCommit;
    this.hints = hints;
  }

  /** What became of an operator's wish. */
  public sealed interface Answer {

    /**
     * It is now in the state that was asked for.
     *
     * @param session whose delivery it is
     */
    record Done(SessionId session) implements Answer {}

    /** It is not dead; nothing was changed. */
    record NotDead(DeliveryState state) implements Answer {}

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
                  new Lost(task(row), row.getString("target"), row.getInt("attempts"), error);
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
    return lock(id).map(found -> retry(id, found)).orElseGet(Answer.Unknown::new);
  }

  private Answer retry(DeliveryId id, Locked found) {
    if (found.state() != DeliveryState.DEAD) {
      return new Answer.NotDead(found.state());
    }
    hints.afterCommit(Topic.OUTBOX);
    execute(REVIVE, id);
    return new Answer.Done(found.session());
  }

  /** Dismisses a dead row. Idempotent. */
  @Transactional
  public Answer dismiss(DeliveryId id) {
    return lock(id).map(found -> dismiss(id, found)).orElseGet(Answer.Unknown::new);
  }

  private Answer dismiss(DeliveryId id, Locked found) {
    return switch (found.state()) {
      case DEAD -> {
        execute("update outbox set state = 'suppressed' where id = :id", id);
        yield new Answer.Done(found.session());
      }
      case SUPPRESSED -> new Answer.Done(found.session());
      case PENDING, DELIVERED, CONSUMED -> new Answer.NotDead(found.state());
    };
  }

  /** A row whose state stays the same until the transaction ends. */
  private record Locked(DeliveryState state, SessionId session) {}

  private Optional<Locked> lock(DeliveryId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select state, session_id from outbox where id = :id for no key update")
            .bind("id", id.value())
            .map((row, _) ->
                new Locked(
                    DeliveryState.of(row.getString("state")),
                    new SessionId(row.getObject("session_id", UUID.class))))
            .findOne());
  }

  private void execute(String sql, DeliveryId id) {
    jdbi.useHandle(handle -> handle.createUpdate(sql).bind("id", id.value()).execute());
  }

  private static @Nullable TaskId task(ResultSet row) throws SQLException {
    var id = row.getObject("task_id", UUID.class);
    return id == null ? null : new TaskId(id);
  }
}
