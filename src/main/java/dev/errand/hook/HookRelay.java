package dev.errand.hook;

import dev.errand.hook.HookCaller.Reply;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/**
 * Sends the events of the queue, on every node: once a second, after a hint, and when a hook has
 * accepted one. Nothing is asked of the database while there is no hook for such events.
 */
@Singleton
class HookRelay implements HintListener {

  private static final Logger LOG = Logger.getLogger(HookRelay.class);

  /** About a day in total; each wait is 20 % more or less. */
  private static final List<Duration> WAITS =
      List.of(
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

  private static final double LEAST = 0.8;
  private static final double MOST = 1.2;

  /** Added to the longest time-out for the lease of a claim. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration END_LIMIT = Duration.ofSeconds(2);

  private final Hooks hooks;
  private final HookQueue queue;
  private final HookCaller caller;
  private final HookPayload payload;
  private final HookMetrics metrics;
  private final HookConfig config;
  private final Map<String, Integer> underWay = new HashMap<>();
  private final Set<Thread> sending = ConcurrentHashMap.newKeySet();
  private boolean stopping;

  HookRelay(
      Hooks hooks,
      HookQueue queue,
      HookCaller caller,
      HookPayload payload,
      HookMetrics metrics,
      HookConfig config) {
    this.hooks = hooks;
    this.queue = queue;
    this.caller = caller;
    this.payload = payload;
    this.metrics = metrics;
    this.config = config;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenDue("Hooks", HookQueue.SOME, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.HOOKS;
  }

  @Override
  public void hinted() {
    sendDue();
  }

  /** Starts to send what is due, as far as there is room, and does not wait for it. */
  private synchronized void sendDue() {
    var queued = hooks.queued();
    var room = new HashMap<String, Integer>();
    queued.forEach(hook ->
        room.put(hook.name(), config.concurrency() - underWay.getOrDefault(hook.name(), 0)));
    room.values().removeIf(free -> free <= 0);
    if (room.isEmpty() || stopping) {
      return;
    }
    var longest = queued.stream().map(Hook::timeout).max(Duration::compareTo).orElse(SOON);
    for (var row : queue.claim(room, longest.plus(MARGIN))) {
      underWay.merge(row.hook(), 1, Integer::sum);
      var thread = Thread.ofVirtual().name("hook").unstarted(() -> send(row));
      sending.add(thread);
      thread.start();
    }
  }

  /** Around one row: after a failure it is sent again later; other rows are not affected. */
  private void send(HookQueue.Due row) {
    try {
      var hook = hooks.named(row.hook());
      if (hook.isPresent()) {
        send(hook.get(), row);
      } else {
        queue.postpone(row, SOON, false);
      }
    } catch (InterruptedException stopped) {
      queue.postpone(row, Duration.ZERO, false);
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "An event for the hook %s could not be sent and is tried again", row.hook());
    } finally {
      sending.remove(Thread.currentThread());
      left(row.hook());
    }
    lookAgain();
  }

  private void send(Hook hook, HookQueue.Due row) throws InterruptedException {
    var begin = System.nanoTime();
    var id = HookPayload.id(row.id());
    var reply = caller.call(hook, id, payload.of(hook, row), hook.timeout());
    var took = Duration.ofNanos(System.nanoTime() - begin);
    var event = HookEvent.of(row.event()).orElseThrow();
    switch (reply) {
      case Reply.Said _ -> {
        queue.remove(row);
        metrics.called(hook, event, "delivered", took);
      }
      case Reply.Refused _ -> failed(hook, row, "ended with exit code 2", "failed", took);
      case Reply.Failed failed ->
          failed(hook, row, failed.why(), failed.late() ? "late" : "failed", took);
    }
  }

  private void failed(Hook hook, HookQueue.Due row, String why, String outcome, Duration took) {
    metrics.called(hook, HookEvent.of(row.event()).orElseThrow(), outcome, took);
    if (row.attempts() < WAITS.size()) {
      var factor = ThreadLocalRandom.current().nextDouble(LEAST, MOST);
      var wait = Duration.ofMillis((long) (WAITS.get(row.attempts()).toMillis() * factor));
      LOG.warnf(
          "Hook %s %s; it gets %s %s again in %d ms",
          hook.name(), why, row.event(), HookPayload.id(row.id()), wait.toMillis());
      queue.postpone(row, wait, true);
    } else {
      queue.remove(row);
      metrics.dropped(row.hook(), row.event());
    }
  }

  private synchronized void left(String hook) {
    underWay.merge(hook, -1, Integer::sum);
  }

  private void lookAgain() {
    try {
      sendDue();
    } catch (RuntimeException fault) {
      LOG.debug("The next scan finds what is due", fault);
    }
  }

  /** What is not accepted soon is sent by another node, or after the next start. */
  void stop(@Observes @Priority(55) ShutdownEvent stop) throws InterruptedException {
    synchronized (this) {
      stopping = true;
    }
    var end = System.nanoTime() + END_LIMIT.toNanos();
    for (var thread : sending) {
      var left = Duration.ofNanos(end - System.nanoTime());
      if (!left.isPositive() || !thread.join(left)) {
        thread.interrupt();
      }
    }
    for (var thread : sending) {
      thread.join(END_LIMIT);
    }
  }
}
