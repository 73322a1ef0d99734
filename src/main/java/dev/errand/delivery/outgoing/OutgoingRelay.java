package dev.errand.delivery.outgoing;

import dev.errand.hook.HookSender;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.OutgoingQueue;
import dev.errand.outbox.OutgoingRows;
import dev.errand.postgres.SqlErrors;
import dev.errand.tenant.Tenants;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * Sends rows that are due to callbacks and hooks, on every node: once a second, after a hint, and
 * when a row has made room for the next one. Each row has its own thread; a receiver that hangs
 * delays only its own rows.
 */
@Singleton
public class OutgoingRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(OutgoingRelay.class);

  /** Added to the time-out of a receiver for the lease of a claim. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration END_LIMIT = Duration.ofSeconds(2);

  private final OutgoingQueue queue;
  private final OutgoingRows rows;
  private final WebhookDelivery webhooks;
  private final HookDelivery hookDelivery;
  private final HookSender hooks;
  private final WebhookConfig config;
  private final Tenants tenants;
  private final InFlight inFlight = InFlight.none();
  private final Set<Thread> callingHooks = ConcurrentHashMap.newKeySet();
  private boolean stopping;

  OutgoingRelay(
      OutgoingQueue queue,
      OutgoingRows rows,
      WebhookDelivery webhooks,
      HookDelivery hookDelivery,
      HookSender hooks,
      WebhookConfig config,
      Tenants tenants) {
    this.queue = queue;
    this.rows = rows;
    this.webhooks = webhooks;
    this.hookDelivery = hookDelivery;
    this.hooks = hooks;
    this.config = config;
    this.tenants = tenants;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Outgoing", OutgoingQueue.SOME_DUE, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.OUTGOING;
  }

  @Override
  public void hinted() {
    runDue();
  }

  /** Starts to send what is due, as far as there is room, and does not wait for it. */
  public synchronized void runDue() {
    var limits = limits();
    var open = inFlight.open(hooks.names(), limits);
    if (stopping || (!open.posts() && open.hooks().isEmpty())) {
      return;
    }
    var chosen = inFlight.choose(queue.due(open), limits);
    for (var row : queue.claim(chosen, leases())) {
      inFlight.enter(row);
      start(row);
    }
  }

  /** A tenant sends half of the posts, so that its receivers leave room for others. */
  private InFlight.InFlightLimits limits() {
    var posts = config.concurrency();
    return new InFlight.InFlightLimits(
        posts,
        config.concurrencyPerHost(),
        tenants.areSeveral() ? Math.max(1, posts / 2) : posts,
        hooks.concurrency());
  }

  private OutgoingQueue.SendLeases leases() {
    return new OutgoingQueue.SendLeases(
        config.totalTimeout().plus(MARGIN), hooks.longestTimeout().plus(MARGIN));
  }

  private void start(ClaimedDelivery row) {
    if (row.kind() == DeliveryKind.HOOK) {
      var thread = Thread.ofVirtual().name("hook").unstarted(() -> send(row));
      callingHooks.add(thread);
      thread.start();
    } else {
      Thread.ofVirtual().name("webhook").start(() -> send(row));
    }
  }

  /** Sends a row. After a failure it is tried again later; other rows are not affected. */
  private void send(ClaimedDelivery row) {
    try {
      if (row.kind() == DeliveryKind.HOOK) {
        hookDelivery.deliver(row);
      } else {
        webhooks.deliver(row);
      }
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "Outbox row %s could not be sent and is tried again", row.delivery().id());
      releaseClaim(row, fault);
    } finally {
      callingHooks.remove(Thread.currentThread());
      inFlight.leave(row);
    }
    lookAgain();
  }

  private void releaseClaim(ClaimedDelivery row, RuntimeException fault) {
    try {
      if (SqlErrors.isTransient(fault)) {
        rows.releaseClaim(row, SOON);
      } else if (row.kind() == DeliveryKind.HOOK) {
        hookDelivery.failed(row, "was not called: " + fault.getClass().getSimpleName());
      } else {
        webhooks.failed(row, "delivery failed: " + fault.getClass().getSimpleName());
      }
    } catch (RuntimeException again) {
      LOG.debug("The claim expires by itself", again);
    }
  }

  private void lookAgain() {
    try {
      runDue();
    } catch (RuntimeException fault) {
      LOG.debug("The next scan finds what is due", fault);
    }
  }

  /** What a hook does not accept soon is sent by another node, or after the next start. */
  void stop(@Observes @Priority(55) ShutdownEvent stop) throws InterruptedException {
    synchronized (this) {
      stopping = true;
    }
    var end = System.nanoTime() + END_LIMIT.toNanos();
    for (var thread : callingHooks) {
      var left = Duration.ofNanos(end - System.nanoTime());
      if (!left.isPositive() || !thread.join(left)) {
        thread.interrupt();
      }
    }
    for (var thread : callingHooks) {
      thread.join(END_LIMIT);
    }
  }
}
