package dev.errand.view;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.task.TaskState;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows tasks. */
@ApplicationScoped
public class TaskViews {

  private final Reader reader;
  private final Visibility visibility;

  TaskViews(Reader reader, Visibility visibility) {
    this.reader = reader;
    this.visibility = visibility;
  }

  public Optional<TaskView> find(TaskId id) {
    return reader.first(() -> TaskRow.find("id", id.value()), TaskView::of);
  }

  public Slice<TaskView> page(TaskFilter filter, Listing page) {
    var where =
        visibility
            .conditions("parentSessionId")
            .whereAny(
                "parentSessionId in :parents",
                "parents",
                filter.parents().stream().map(SessionId::value).toList())
            .where("rootSessionId = :root", "root", value(filter.root()))
            .whereAny(
                "state in :states",
                "states",
                filter.states().stream().map(TaskState::word).toList())
            .where("subagentType = :agent", "agent", filter.subagentType())
            .where("label = :label", "label", filter.label())
            .created(filter.created())
            .words(TaskSearchRow.class, filter.words())
            .page(page);
    return reader.page(
        () -> TaskRow.find(where.text(), page.sort(), where.values()), page.limit(), TaskView::of);
  }

  private static @Nullable Object value(@Nullable SessionId id) {
    return id == null ? null : id.value();
  }
}
