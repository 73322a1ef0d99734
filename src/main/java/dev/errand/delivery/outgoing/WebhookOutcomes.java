package dev.errand.delivery.outgoing;

import dev.errand.delivery.DeadLetters;
import dev.errand.delivery.DeliveryEvents;
import dev.errand.delivery.outgoing.WebhookSender.PostOutcome;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.OutgoingRows;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** Records the outcomes of attempts, each in one transaction. */
@Singleton
class WebhookOutcomes {

  /** After these attempts, about 5 min, the later posts to the callback do not wait any more. */
  private static final int ATTEMPTS_IN_TURN = 3;

  private static final Duration LONGEST_IN_TURN = Duration.ofMinutes(6);

  private final OutgoingRows rows;
  private final DeadLetters deadLetters;
  private final DeliveryEvents events;
  private final CallbackStore callbacks;
  private final RetrySchedule schedule;

  WebhookOutcomes(
      OutgoingRows rows,
      DeadLetters deadLetters,
      DeliveryEvents events,
      CallbackStore callbacks,
      WebhookConfig config) {
    this.rows = rows;
    this.deadLetters = deadLetters;
    this.events = events;
    this.callbacks = callbacks;
    this.schedule =
        new RetrySchedule(config.schedule(), () -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * Marks the row of an accepted post as delivered, unless it was settled otherwise in the
   * meantime. A row of progress is deleted instead, because a long task posts thousands.
   */
  @Transactional
  void accepted(ClaimedDelivery post) {
    if (post.kind() == DeliveryKind.PROGRESS) {
      rows.remove(post.delivery().id());
    } else if (rows.delivered(post)) {
      events.delivered(post.delivery());
    }
  }

  /**
   * Schedules the next attempt, later if the receiver asks for it; after the last one the row is
   * dead. A row that failed three times, or has to wait long, is repeated on its own: the later
   * posts to its callback follow.
   */
  @Transactional
  void failed(ClaimedDelivery post, PostOutcome.PostFailed end) {
    rows.failed(post, end.error())
        .ifPresent(attempts ->
            next(attempts, end)
                .ifPresentOrElse(
                    wait -> postpone(post, wait, leavesTurn(attempts, wait)),
                    () -> abandon(post, end.error())));
  }

  /** Progress does not leave the turn, and no later post waits for its next attempt. */
  private void postpone(ClaimedDelivery post, Duration wait, boolean outOfTurn) {
    if (post.kind() == DeliveryKind.PROGRESS
        && (outOfTurn || rows.isFollowed(post.delivery().id()))) {
      rows.remove(post.delivery().id());
    } else {
      rows.postpone(post.delivery().id(), wait, outOfTurn);
    }
  }

  private void abandon(ClaimedDelivery post, String error) {
    if (post.kind() == DeliveryKind.PROGRESS) {
      rows.remove(post.delivery().id());
    } else {
      deadLetters.markDead(post.delivery().id(), error);
    }
  }

  private Optional<Duration> next(int attempts, PostOutcome.PostFailed end) {
    return schedule
        .after(attempts)
        .map(planned -> {
          var asked = shorter(end.notBefore(), schedule.longest());
          return asked.compareTo(planned) > 0 ? asked : planned;
        });
  }

  private static boolean leavesTurn(int attempts, Duration wait) {
    return attempts >= ATTEMPTS_IN_TURN || wait.compareTo(LONGEST_IN_TURN) > 0;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Disables the callback of a receiver that wants no further posts; the row is dead. */
  @Transactional
  void gone(ClaimedDelivery post) {
    undeliverable(post, "HTTP 410");
    callbacks.disable(post.callback());
  }

  /** Marks a row as dead without further attempts. */
  @Transactional
  void undeliverable(ClaimedDelivery post, String error) {
    rows.failed(post, error).ifPresent(_ -> abandon(post, error));
  }

  /**
   * The schedule of a post's attempts.
   *
   * @param waits the wait before each attempt, including the first
   * @param random draws from 0 to 1
   */
  record RetrySchedule(List<Duration> waits, DoubleSupplier random) {

    private static final double LEAST = 0.8;
    private static final double SPREAD = 0.4;

    /**
     * Returns the wait after that many failed attempts, 20 % more or less; empty when there is no
     * attempt left.
     */
    Optional<Duration> after(int attempts) {
      if (attempts >= waits.size()) {
        return Optional.empty();
      }
      var factor = LEAST + SPREAD * random.getAsDouble();
      return Optional.of(Duration.ofMillis(Math.round(waits.get(attempts).toMillis() * factor)));
    }

    /** Returns the longest wait that a receiver can ask for. */
    Duration longest() {
      return waits.stream().max(Duration::compareTo).orElse(Duration.ZERO);
    }
  }
}
