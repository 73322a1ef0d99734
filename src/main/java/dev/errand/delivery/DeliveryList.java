package dev.errand.delivery;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.DeliveryState;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Reads the outbox for operators. */
@ApplicationScoped
public class DeliveryList {

  private static final String PAGE =
      """
      select * from outbox
      where tenant = 'default'
        and (:state::text is null or state = :state)
        and (:session::uuid is null or session_id = :session)
        and (:task::uuid is null or task_id = :task)
        and (:before::uuid is null or id < :before)
      order by id desc
      limit :limit
      """;

  private final Jdbi jdbi;

  DeliveryList(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Which deliveries a page shows; null means any. */
  public record Filter(
      @Nullable DeliveryState state, @Nullable SessionId session, @Nullable TaskId task) {}

  /** The newest first, at most {@code limit}, older than {@code before} when that is given. */
  public List<DeliveryView> page(Filter filter, @Nullable DeliveryId before, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(PAGE)
            .bind("state", filter.state() == null ? null : filter.state().word())
            .bind("session", filter.session() == null ? null : filter.session().value())
            .bind("task", filter.task() == null ? null : filter.task().value())
            .bind("before", before == null ? null : before.value())
            .bind("limit", limit)
            .map((row, _) -> view(row))
            .list());
  }

  /** One row, locked until the transaction ends. */
  @Transactional(Transactional.TxType.MANDATORY)
  Optional<DeliveryView> lock(DeliveryId id) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select * from outbox where id = :id for no key update")
            .bind("id", id.value())
            .map((row, _) -> view(row))
            .findOne());
  }

  private static DeliveryView view(ResultSet row) throws SQLException {
    var state = row.getString("state");
    return new DeliveryView(
        new DeliveryId(row.getObject("id", UUID.class)),
        task(row),
        message(row),
        new SessionId(row.getObject("session_id", UUID.class)),
        row.getString("kind"),
        row.getString("target"),
        state,
        row.getInt("attempts"),
        state.equals(DeliveryState.PENDING.word()) ? instant(row, "available_at") : null,
        row.getTimestamp("created_at").toInstant(),
        instant(row, "delivered_at"),
        instant(row, "consumed_at"),
        instant(row, "dead_at"),
        row.getString("last_error"));
  }

  static @Nullable TaskId task(ResultSet row) throws SQLException {
    var id = row.getObject("task_id", UUID.class);
    return id == null ? null : new TaskId(id);
  }

  private static @Nullable MessageId message(ResultSet row) throws SQLException {
    var id = row.getObject("message_id", UUID.class);
    return id == null ? null : new MessageId(id);
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    var value = row.getTimestamp(column);
    return value == null ? null : value.toInstant();
  }
}
