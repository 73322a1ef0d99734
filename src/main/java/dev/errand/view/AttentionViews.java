package dev.errand.view;

import dev.errand.pause.Pause;
import dev.errand.pause.Pauses;
import dev.errand.view.DeliveryViews.DeliveryRow;
import dev.errand.view.DeliveryViews.DeliveryView;
import dev.errand.view.TreeViews.TreeTask;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import io.quarkus.panache.common.Sort;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows what an operator should look at. */
@Singleton
public class AttentionViews {

  private static final int SHOWN = 20;
  private static final int COUNTED = 1_000;

  /** As long as the alert ErrandQueueStalled waits. */
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Reader reader;
  private final Visibility visibility;
  private final SessionViews sessions;
  private final Pauses pauses;
  private final Clock clock;

  AttentionViews(
      Reader reader, Visibility visibility, SessionViews sessions, Pauses pauses, Clock clock) {
    this.reader = reader;
    this.visibility = visibility;
    this.sessions = sessions;
    this.pauses = pauses;
    this.clock = clock;
  }

  /**
   * Some rows that need attention.
   *
   * @param count how many there are, at most 1,000
   * @param items at most 20 of them, those that have waited longest first
   */
  public record Some<T>(int count, List<T> items) {}

  /**
   * What needs attention, as far as the caller may see it.
   *
   * @param now the time of the service
   * @param lastEndedAt when a task ended last; null when none did
   * @param deadDeliveries deliveries whose attempts all failed
   * @param failedSessions root sessions whose last run failed
   * @param sessionsWithoutModel sessions that wait for a model that does not answer
   * @param sessionsWithoutWorker sessions that have waited for a worker for more than a minute
   * @param sessionsWithNotices sessions at rest with results that no turn has read
   * @param overdueTasks live tasks whose time-out passed more than a minute ago
   * @param pauses the pauses in force, the oldest first; none for a caller that may not pause
   */
  public record Attention(
      Instant now,
      @Nullable Instant lastEndedAt,
      Some<DeliveryView> deadDeliveries,
      Some<SessionSummary> failedSessions,
      Some<SessionSummary> sessionsWithoutModel,
      Some<SessionSummary> sessionsWithoutWorker,
      Some<SessionSummary> sessionsWithNotices,
      Some<TreeTask> overdueTasks,
      List<Pause> pauses) {}

  /** Reads everything in one transaction, except the pauses, which each node knows. */
  public Attention read() {
    return reader.call(() -> {
      var now = clock.instant();
      return new Attention(
          now,
          lastEnd(),
          deadDeliveries(),
          sessions(sessionConditions("depth = 0 and errorCode is not null and state = 'idle'")),
          sessions(sessionConditions("waitsFor = 'model'")),
          sessions(
              visibility
                  .conditions("id")
                  .where("state = 'queued' and queuedAt < :before", "before", now.minus(LONG))),
          sessions(sessionConditions("id in (select n.id from UnreadNoticesRow n)")),
          overdueTasks(now),
          pauses.inForce().stream().filter(pauses::isVisible).toList());
    });
  }

  private @Nullable Instant lastEnd() {
    var where = visibility.conditions("parentSessionId").always("endedAt is not null");
    return TaskRow.find(where.text(), Sort.descending("endedAt"), where.values())
        .project(TreeViews.Columns.class)
        .firstResultOptional()
        .map(TreeViews.Columns::endedAt)
        .orElse(null);
  }

  private Some<DeliveryView> deadDeliveries() {
    var where = visibility.conditions("sessionId").always("state = 'dead'");
    return some(
        () -> DeliveryRow.find(where.text(), Sort.by("id"), where.values()), DeliveryView::of);
  }

  private Conditions sessionConditions(String condition) {
    return visibility.conditions("id").always(condition);
  }

  private Some<SessionSummary> sessions(Conditions where) {
    return some(
        () -> SessionRow.find(where.text(), Sort.by("updatedAt"), where.values()),
        sessions::summary);
  }

  private Some<TreeTask> overdueTasks(Instant now) {
    var where =
        visibility
            .conditions("parentSessionId")
            .where(
                "state in ('pending', 'running') and deadlineAt < :before and clockStoppedAt is null",
                "before",
                now.minus(LONG));
    return some(
        () ->
            TaskRow.find(where.text(), Sort.by("deadlineAt"), where.values())
                .project(TreeViews.Columns.class),
        TreeTask::of);
  }

  /** Returns the first rows of a query, and how many there are. */
  private static <R, T> Some<T> some(Supplier<PanacheQuery<R>> query, Function<R, T> view) {
    var shown = query.get().page(0, SHOWN).list().stream().map(view).toList();
    var count = shown.size() < SHOWN ? shown.size() : query.get().count();
    return new Some<>((int) Math.min(COUNTED, count), shown);
  }

  /** A session at rest with results that no turn has read. */
  @Entity(name = "UnreadNoticesRow")
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select distinct session.id, session.tenant from inbox join session on session.id = inbox.session_id
      where inbox.consumed_at is null and inbox.kind = 'notice' and session.state = 'idle' and session.kind = 'hosted'
      """)
  static class UnreadNoticesRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
  }
}
