package dev.errand.delivery.outgoing;

import dev.errand.delivery.outgoing.WebhookOutcomes.RetrySchedule;
import dev.errand.hook.HookSender;
import dev.errand.hook.HookSender.HookOutcome;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.OutgoingRows;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/**
 * An attempt to send a claimed event to its hook. An accepted event is deleted, and so is one that
 * the hook has not accepted for about a day; later events of its task wait for it until then.
 */
@Singleton
class HookDelivery {

  private static final Logger LOG = Logger.getLogger(HookDelivery.class);

  /** The first attempt is made at once. */
  private static final List<Duration> WAITS =
      List.of(
          Duration.ZERO,
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10),
          Duration.ofMinutes(30),
          Duration.ofHours(1),
          Duration.ofHours(2),
          Duration.ofHours(4),
          Duration.ofHours(8),
          Duration.ofHours(8));

  /** A hook that this node does not know may be known to another one. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final HookSender sender;
  private final OutgoingRows rows;
  private final RetrySchedule schedule =
      new RetrySchedule(WAITS, () -> ThreadLocalRandom.current().nextDouble());

  HookDelivery(HookSender sender, OutgoingRows rows) {
    this.sender = sender;
    this.rows = rows;
  }

  void deliver(ClaimedDelivery row) {
    try {
      switch (sender.send(row)) {
        case HookOutcome.EventAccepted _ -> rows.remove(row.delivery().id());
        case HookOutcome.UnknownHook _ -> rows.releaseClaim(row, SOON);
        case HookOutcome.EventNotAccepted failed -> failed(row, failed.why());
      }
    } catch (InterruptedException stopped) {
      rows.releaseClaim(row, Duration.ZERO);
    }
  }

  @Transactional
  void failed(ClaimedDelivery row, String why) {
    rows.failed(row, why).ifPresent(attempts -> again(row, why, attempts));
  }

  private void again(ClaimedDelivery row, String why, int attempts) {
    schedule
        .after(attempts)
        .ifPresentOrElse(
            wait -> {
              LOG.warnf(
                  "Hook %s %s; it gets %s again in %d ms",
                  row.receiver(), why, row.delivery().id(), wait.toMillis());
              rows.postpone(row.delivery().id(), wait, false);
            },
            () -> {
              rows.remove(row.delivery().id());
              sender.dropped(row);
            });
  }
}
