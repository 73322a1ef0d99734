package dev.errand.view;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.task.TaskState;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows tasks. */
@Singleton
public class TaskViews {

  private final Reader reader;
  private final Visibility visibility;
  private final RightsViews rights;

  TaskViews(Reader reader, Visibility visibility, RightsViews rights) {
    this.reader = reader;
    this.visibility = visibility;
    this.rights = rights;
  }

  /** Finds a task with the rights of its child, which lists leave out. */
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

  /**
   * The tasks that a list shows; null and empty mean any.
   *
   * @param parents the delegating sessions
   * @param words each of them is part of the description or the label
   */
  public record TaskFilter(
      List<SessionId> parents,
      @Nullable SessionId root,
      List<TaskState> states,
      @Nullable String subagentType,
      @Nullable String label,
      @Nullable String words,
      Period created) {

    /** Returns all tasks that these sessions delegated. */
    public static TaskFilter delegatedBy(List<SessionId> parents) {
      return new TaskFilter(parents, null, List.of(), null, null, null, new Period(null, null));
    }

    /** Returns all tasks of the tree with this root. */
    public static TaskFilter within(SessionId root) {
      return new TaskFilter(List.of(), root, List.of(), null, null, null, new Period(null, null));
    }
  }

  /** The text of one of the newest 10,000 tasks of a tenant, in lower case. */
  @Entity(name = "TaskSearchRow")
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select newest.id, newest.text, tenant.id as tenant
      from tenant cross join lateral (
        select id, lower(concat_ws(' ', description, label)) as text from task
        where task.tenant = tenant.id order by id desc limit 10000) newest
      """)
  static class TaskSearchRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public @Nullable String text;
  }
}
