package dev.errand.delivery.webhook;

import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery.ClaimedDelivery;
import dev.errand.outbox.WebhookQueue;
import dev.errand.postgres.SqlErrors;
import dev.errand.tenant.Tenants;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Posts due rows to their callbacks, on every node: once a second, after a hint, and when a post
 * has made room for the next one. Each post has its own thread; a receiver that hangs delays only
 * its own rows.
 */
@Singleton
public class WebhookRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(WebhookRelay.class);

  /** Added to a post's time-out for the lease of a claim. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final Duration SOON = Duration.ofSeconds(1);

  private final WebhookQueue queue;
  private final WebhookDelivery delivery;
  private final WebhookConfig config;
  private final Tenants tenants;
  private final InFlight inFlight = new InFlight();

  WebhookRelay(
      WebhookQueue queue, WebhookDelivery delivery, WebhookConfig config, Tenants tenants) {
    this.queue = queue;
    this.delivery = delivery;
    this.config = config;
    this.tenants = tenants;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Webhooks", WebhookQueue.SOME_DUE, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.WEBHOOKS;
  }

  @Override
  public void hinted() {
    runDue();
  }

  /** Starts the posts that are due, as far as there is room, and does not wait for them. */
  public synchronized void runDue() {
    var room =
        new WebhookQueue.Room(
            config.concurrency() - inFlight.total(), config.concurrencyPerHost(), perTenant());
    if (room.total() <= 0) {
      return;
    }
    for (var post : queue.claim(inFlight.underWay(), room, config.totalTimeout().plus(MARGIN))) {
      inFlight.enter(post);
      Thread.ofVirtual().name("webhook").start(() -> deliver(post));
    }
  }

  /** Half of the posts, so that hanging receivers of one tenant leave room for the others. */
  private int perTenant() {
    return tenants.areSeveral() ? Math.max(1, config.concurrency() / 2) : config.concurrency();
  }

  /** Around one row: after a failure it is tried again later; other rows are not affected. */
  private void deliver(ClaimedDelivery post) {
    try {
      delivery.deliver(post);
    } catch (RuntimeException fault) {
      LOG.warnf(
          fault, "Outbox row %s could not be posted and is tried again", post.delivery().id());
      releaseClaim(post, fault);
    } finally {
      inFlight.leave(post);
    }
    lookAgain();
  }

  private void releaseClaim(ClaimedDelivery post, RuntimeException fault) {
    try {
      if (SqlErrors.isTransient(fault)) {
        queue.releaseClaim(post, SOON);
      } else {
        delivery.failed(post, "delivery failed: " + fault.getClass().getSimpleName());
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

  /** The number of posts in flight, per host and per tenant. */
  private static final class InFlight {

    private final Map<String, Integer> perHost = new HashMap<>();
    private final Map<String, Integer> perTenant = new HashMap<>();
    private int total;

    synchronized void enter(ClaimedDelivery post) {
      perHost.merge(post.lane(), 1, Integer::sum);
      perTenant.merge(post.tenant(), 1, Integer::sum);
      total++;
    }

    synchronized void leave(ClaimedDelivery post) {
      countDown(perHost, post.lane());
      countDown(perTenant, post.tenant());
      total--;
    }

    private static void countDown(Map<String, Integer> numbers, String name) {
      numbers.computeIfPresent(name, (_, number) -> number == 1 ? null : number - 1);
    }

    synchronized WebhookQueue.UnderWay underWay() {
      return new WebhookQueue.UnderWay(perHost, perTenant);
    }

    synchronized int total() {
      return total;
    }
  }
}
