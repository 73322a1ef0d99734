package dev.errand.view;

import dev.errand.conversation.DeliveryId;
import dev.errand.outbox.DeliveryState;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** Shows deliveries. */
@ApplicationScoped
public class DeliveryViews {

  private final Reader reader;
  private final Visibility visibility;

  DeliveryViews(Reader reader, Visibility visibility) {
    this.reader = reader;
    this.visibility = visibility;
  }

  public Optional<DeliveryView> find(DeliveryId id) {
    return reader.first(() -> DeliveryRow.find("id", id.value()), DeliveryView::of);
  }

  public Slice<DeliveryView> page(DeliveryFilter filter, Listing page) {
    var session = filter.session();
    var task = filter.task();
    var where =
        visibility
            .conditions("sessionId")
            .whereAny(
                "state in :states",
                "states",
                filter.states().stream().map(DeliveryState::word).toList())
            .where("sessionId = :session", "session", session == null ? null : session.value())
            .where("taskId = :task", "task", task == null ? null : task.value())
            .created(filter.created())
            .page(page);
    return reader.page(
        () -> DeliveryRow.find(where.text(), page.sort(), where.values()),
        page.limit(),
        DeliveryView::of);
  }
}
