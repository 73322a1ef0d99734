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
  private final RightsViews rights;

  TaskViews(Reader reader, Visibility visibility, RightsViews rights) {
    this.reader = reader;
    this.visibility = visibility;
    this.rights = rights;
  }

  /** One task, with what its child may do; lists leave that out. */
  public Optional<TaskView> find(TaskId id) {
    return reader.first(
        () -> TaskRow.<TaskRow>find("id", id.value()),
        row -> TaskView.of(row, rights.ofTask(row.id).orElse(null)));
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
        () -> TaskRow.<TaskRow>find(where.text(), page.sort(), where.values()),
        page.limit(),
        row -> TaskView.of(row, null));
  }

  private static @Nullable Object value(@Nullable SessionId id) {
    return id == null ? null : id.value();
  }
}
