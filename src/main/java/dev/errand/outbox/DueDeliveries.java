package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Reads which sessions have deliveries that are due. */
@Singleton
public class DueDeliveries {

  /** Without {@code clock_timestamp()}: it is volatile, so no index condition can contain it. */
  static final String RECEIVERS =
      """
      select session_id, count(*) as rows
      from (
        select session_id, available_at from outbox
        where state = 'pending' and target = 'session' and available_at <= statement_timestamp()
        order by available_at, id
        limit :limit) due
      group by session_id
      order by min(available_at), session_id
      """;

  private static final String ROWS =
      """
      select id from outbox
      where session_id = :to and state = 'pending' and target = 'session' and available_at <= statement_timestamp()
      order by available_at, id
      """;

  public static final String SOME_DUE =
      "exists (select 1 from outbox where state = 'pending' and target = 'session' and available_at <= now())";

  private final Jdbi jdbi;

  DueDeliveries(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Sessions with rows that are due, the longest due first.
   *
   * @param more whether there may be others
   */
  public record Receivers(List<SessionId> sessions, boolean more) {}

  private record Receiver(SessionId id, int rows) {}

  /** The rows of one session that are due, the longest due first. */
  public List<UUID> rows(SessionId to) {
    return jdbi.withHandle(
        handle -> handle.createQuery(ROWS).bind("to", to).mapTo(UUID.class).list());
  }

  /**
   * Finds the sessions with rows that are due.
   *
   * @param limit the number of rows that are looked at
   */
  public Receivers receivers(int limit) {
    var found =
        jdbi.withHandle(handle ->
            handle
                .createQuery(RECEIVERS)
                .bind("limit", limit)
                .map((row, _) ->
                    new Receiver(
                        new SessionId(row.getObject("session_id", UUID.class)), row.getInt("rows")))
                .list());
    return new Receivers(
        found.stream().map(Receiver::id).toList(),
        found.stream().mapToInt(Receiver::rows).sum() == limit);
  }
}
