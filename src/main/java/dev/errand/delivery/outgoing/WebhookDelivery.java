package dev.errand.delivery.outgoing;

import dev.errand.conversation.DeliveryId;
import dev.errand.delivery.outgoing.WebhookSender.PostOutcome;
import dev.errand.event.CloudEvent;
import dev.errand.event.EventContent;
import dev.errand.outbox.Callback;
import dev.errand.outbox.CallbackStore;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.OutgoingQueue;
import dev.errand.postgres.Json;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.session.InboxDelivery;
import dev.errand.task.Task;
import dev.errand.task.TaskStore;
import dev.errand.task.notice.Results;
import dev.errand.trace.Spans;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * An attempt to deliver a claimed row: a notice is stored in its session, the row is posted, and
 * the outcome is recorded – three steps. After a crash between them, a later attempt repeats them
 * with the same {@code webhook-id}.
 */
@Singleton
class WebhookDelivery {

  private static final Logger LOG = Logger.getLogger(WebhookDelivery.class);

  private final CallbackStore callbacks;
  private final InboxDelivery inboxes;
  private final WebhookSender sender;
  private final WebhookOutcomes outcomes;
  private final OutgoingQueue queue;
  private final TaskStore tasks;
  private final Results results;
  private final Json json;
  private final Spans spans;

  WebhookDelivery(
      CallbackStore callbacks,
      InboxDelivery inboxes,
      WebhookSender sender,
      WebhookOutcomes outcomes,
      OutgoingQueue queue,
      TaskStore tasks,
      Results results,
      Json json,
      Spans spans) {
    this.callbacks = callbacks;
    this.inboxes = inboxes;
    this.sender = sender;
    this.outcomes = outcomes;
    this.queue = queue;
    this.tasks = tasks;
    this.results = results;
    this.json = json;
    this.spans = spans;
  }

  void deliver(ClaimedDelivery post) {
    var ended = ended(post);
    ended.filter(_ -> post.kind().isResult()).ifPresent(task -> addToMessages(post, task));
    try {
      callbacks
          .active(post.callback())
          .ifPresentOrElse(
              callback -> settle(post, send(callback, post, ended)),
              () -> outcomes.undeliverable(post, "the callback is disabled"));
    } catch (UnreadableSecret fault) {
      LOG.warnf("A webhook of %s was not posted: %s", post.delivery().to(), fault.getMessage());
      failed(post, fault.getMessage());
    }
  }

  private void settle(ClaimedDelivery post, PostOutcome end) {
    switch (end) {
      case PostOutcome.PostAccepted _ -> outcomes.accepted(post);
      case PostOutcome.Gone _ -> gone(post);
      case PostOutcome.PostFailed failed -> outcomes.failed(post, failed);
    }
  }

  /** Returns the task whose end is posted; empty for other posts, which contain their event. */
  private Optional<Task> ended(ClaimedDelivery post) {
    return post.event() == null
        ? tasks.find(Objects.requireNonNull(post.delivery().task()))
        : Optional.empty();
  }

  /** An external session has the notice from the first attempt on. */
  private void addToMessages(ClaimedDelivery post, Task ended) {
    var delivery = post.delivery();
    inboxes.deliver(
        delivery.to(), InboxDelivery.DeliveredEntry.of(delivery.id(), results.entry(ended)));
  }

  private PostOutcome send(Callback callback, ClaimedDelivery post, Optional<Task> ended) {
    var delivery = post.delivery();
    var id = new DeliveryId(delivery.id());
    try (var span =
        spans.delivery(delivery.to().toString(), delivery.target(), delivery.traceParent())) {
      var end = span.watch(() -> sender.post(callback, id.toString(), body(id, post, ended)));
      switch (end) {
        case PostOutcome.PostAccepted _ -> {}
        case PostOutcome.Gone _ -> span.failed("HTTP 410");
        case PostOutcome.PostFailed failed -> span.failed(failed.error());
      }
      return end;
    }
  }

  void failed(ClaimedDelivery post, String error) {
    outcomes.failed(post, PostOutcome.PostFailed.of(error));
  }

  /** Makes further posts to this callback due now, so that they find it disabled and end soon. */
  private void gone(ClaimedDelivery post) {
    outcomes.gone(post);
    queue.hasten(post.callback());
  }

  private String body(DeliveryId id, ClaimedDelivery post, Optional<Task> ended) {
    var delivery = post.delivery();
    var announcement =
        ended
            .map(results::announcement)
            .orElseGet(
                () -> json.readPlain(Objects.requireNonNull(post.event()), EventContent.class));
    return json.write(
        CloudEvent.of(
            id.toString(), delivery.to(), announcement, delivery.traceParent(), post.sequence()));
  }
}
