package dev.errand.view;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.event.EventStore;
import dev.errand.view.SessionViews.SessionFilter;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Shows trees: all sessions below a root, and the tasks that made them. */
@Singleton
public class TreeViews {

  private final Reader reader;
  private final Visibility visibility;
  private final SessionViews sessions;
  private final EventStore events;
  private final Clock clock;

  TreeViews(
      Reader reader, Visibility visibility, SessionViews sessions, EventStore events, Clock clock) {
    this.reader = reader;
    this.visibility = visibility;
    this.sessions = sessions;
    this.events = events;
    this.clock = clock;
  }

  /**
   * A tree without prompts, messages and results.
   *
   * @param now the time of the service
   * @param cursor the position in the events of the tree; the answer contains what the events up to
   *     it report, and nothing that later ones do
   * @param truncated whether the tree has more sessions or tasks than are shown
   * @param sessions that the caller may see, the oldest first, so that a parent precedes its
   *     children
   * @param tasks the oldest first
   */
  public record Tree(
      Instant now,
      long cursor,
      SessionId rootId,
      boolean truncated,
      List<SessionSummary> sessions,
      List<TreeTask> tasks) {}

  /**
   * A task of a tree. Its usage is that of its session.
   *
   * @param waitsFor what it or its child waits for; null when it does not wait
   * @param deliveryState how far the delivery of its result is; null while the task is live
   */
  public record TreeTask(
      TaskId id,
      SessionId sessionId,
      SessionId parentSessionId,
      String subagentType,
      String description,
      @Nullable String label,
      boolean background,
      String state,
      @Nullable WaitView waitsFor,
      int attempts,
      int takeovers,
      TaskView.@Nullable Failure error,
      @Nullable String stopReason,
      boolean partial,
      @Nullable String deliveryState,
      @Nullable Instant deliveredAt,
      @Nullable Instant consumedAt,
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {

    static TreeTask of(Columns row) {
      return new TreeTask(
          new TaskId(row.id),
          new SessionId(row.childId),
          new SessionId(row.parentSessionId),
          row.subagentType,
          row.description,
          row.label,
          row.background,
          row.state,
          WaitView.of(row.waitsFor, row.waitsSince, row.waitsUntil),
          row.attempts,
          row.takeovers,
          row.errorCode == null ? null : new TaskView.Failure(row.errorCode, row.errorMessage),
          row.stopReason,
          row.partial,
          row.deliveryState,
          row.deliveredAt,
          row.consumedAt,
          row.createdAt,
          row.startedAt,
          row.endedAt);
    }
  }

  /** The columns of a task that are read: not its result, which may be long. */
  record Columns(
      UUID id,
      UUID childId,
      UUID parentSessionId,
      String subagentType,
      String description,
      @Nullable String label,
      boolean background,
      String state,
      @Nullable String waitsFor,
      @Nullable Instant waitsSince,
      @Nullable Instant waitsUntil,
      int attempts,
      int takeovers,
      @Nullable String errorCode,
      @Nullable String errorMessage,
      @Nullable String stopReason,
      boolean partial,
      @Nullable String deliveryState,
      @Nullable Instant deliveredAt,
      @Nullable Instant consumedAt,
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {}

  /**
   * The tree that contains a session, as far as the caller may see it.
   *
   * @param limit how many sessions, and how many tasks, are shown at most
   * @return empty when the session does not exist
   */
  public Optional<Tree> containing(SessionId session, int limit) {
    return reader
        .call(() -> SessionRow.<SessionRow>findByIdOptional(session.value()).map(row -> row.rootId))
        .map(root -> reader.moment(() -> read(new SessionId(root), limit)));
  }

  private Tree read(SessionId root, int limit) {
    var now = clock.instant();
    var cursor = events.newest(Set.of(root)).getOrDefault(root, 0L);
    var page = new Listing(Listing.Order.OLDEST_FIRST, null, limit);
    var below = sessions.page(SessionFilter.within(root), page);
    var delegated = tasks(root, page);
    return new Tree(
        now, cursor, root, below.more() || delegated.more(), below.items(), delegated.items());
  }

  private Slice<TreeTask> tasks(SessionId root, Listing page) {
    var where =
        visibility
            .conditions("parentSessionId")
            .where("rootSessionId = :root", "root", root.value());
    return reader.page(
        () -> TaskRow.find(where.text(), page.sort(), where.values()).project(Columns.class),
        page.limit(),
        TreeTask::of);
  }
}
