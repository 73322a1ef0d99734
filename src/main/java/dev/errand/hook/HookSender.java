package dev.errand.hook;

import dev.errand.hook.HookCaller.HookReply;
import dev.errand.outbox.ClaimedDelivery;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;

/** Sends the events of tasks and sessions to hooks, outside of transactions. */
@Singleton
public class HookSender {

  private final Hooks hooks;
  private final HookCaller caller;
  private final HookPayload payload;
  private final HookMetrics metrics;
  private final HookConfig config;

  HookSender(
      Hooks hooks, HookCaller caller, HookPayload payload, HookMetrics metrics, HookConfig config) {
    this.hooks = hooks;
    this.caller = caller;
    this.payload = payload;
    this.metrics = metrics;
    this.config = config;
  }

  /** The outcome of an attempt. */
  public sealed interface HookOutcome {

    record EventAccepted() implements HookOutcome {}

    /** No hook has this name any more, or not yet. */
    record UnknownHook() implements HookOutcome {}

    /**
     * The attempt failed.
     *
     * @param why the end of a sentence that begins with the hook
     */
    record EventNotAccepted(String why) implements HookOutcome {}
  }

  /** Returns the names of the hooks that get such events. */
  public List<String> names() {
    return hooks.queued().stream().map(Hook::name).toList();
  }

  /** Returns the number of events that a node sends to one hook at the same time. */
  public int concurrency() {
    return config.concurrency();
  }

  /** Returns the longest time-out of a hook that gets such events; zero without one. */
  public Duration longestTimeout() {
    return hooks.queued().stream()
        .map(Hook::timeout)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Makes one attempt to send an event. */
  public HookOutcome send(ClaimedDelivery row) throws InterruptedException {
    var hook = hooks.named(row.receiver());
    return hook.isPresent() ? send(hook.get(), row) : new HookOutcome.UnknownHook();
  }

  private HookOutcome send(Hook hook, ClaimedDelivery row) throws InterruptedException {
    var begin = System.nanoTime();
    var delivery = row.delivery();
    var stored = payload.stored(row);
    var id = HookPayload.id(delivery.id());
    var reply = caller.call(hook, id, payload.of(hook, delivery, stored), hook.timeout());
    var took = Duration.ofNanos(System.nanoTime() - begin);
    var event = HookEvent.of(stored.path("event").asText()).orElseThrow();
    return switch (reply) {
      case HookReply.Answered _ -> {
        metrics.called(hook, event, "delivered", took);
        yield new HookOutcome.EventAccepted();
      }
      case HookReply.Refused _ -> {
        metrics.called(hook, event, "failed", took);
        yield new HookOutcome.EventNotAccepted("ended with exit code 2");
      }
      case HookReply.NoReply failed -> {
        metrics.called(hook, event, failed.late() ? "late" : "failed", took);
        yield new HookOutcome.EventNotAccepted(failed.why());
      }
    };
  }

  /** Reports that an event will not be sent again although its hook never accepted it. */
  public void dropped(ClaimedDelivery row) {
    metrics.dropped(row.receiver(), payload.stored(row).path("event").asText());
  }
}
