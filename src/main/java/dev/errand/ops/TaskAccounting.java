package dev.errand.ops;

import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Jdbi;

/**
 * Adds up whether anything was lost: what was accepted has ended or lives, and each end is
 * accounted for in the outbox; what sessions say is in no book. One statement, so that all numbers
 * are of one moment, whatever commits meanwhile.
 */
@ApplicationScoped
public class TaskAccounting {

  /** Tasks that were accepted are counted apart from their rows, in their trees. */
  private static final String BALANCE =
      """
      select counted.accepted, tasks.*, deliveries.*
      from (select coalesce(sum(delegations - forgotten), 0) as accepted from tree) counted,
        (select count(*) filter (where ended_at is null) as live, count(ended_at) as ended from task) tasks,
        (select count(*) filter (where state = 'delivered') as delivered,
                count(*) filter (where state = 'consumed') as consumed,
                count(*) filter (where state = 'suppressed') as suppressed,
                count(*) filter (where state = 'dead') as dead,
                count(*) filter (where state = 'pending') as pending
         from outbox where task_id is not null) deliveries
      """;

  private final Jdbi jdbi;

  TaskAccounting(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Tasks, deleted ones left out, and the deliveries that they owe or owed. */
  public record Balance(
      long accepted,
      long live,
      long ended,
      long delivered,
      long consumed,
      long suppressed,
      long dead,
      long pending) {

    /** False when a task, or an end that somebody is to hear of, was lost or is there twice. */
    public boolean holds() {
      return accepted == ended + live
          && ended == delivered + consumed + suppressed + dead + pending;
    }
  }

  /** The numbers of this moment. Reads all tasks and deliveries that are kept. */
  public Balance balance() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(BALANCE)
            .map((row, _) ->
                new Balance(
                    row.getLong("accepted"),
                    row.getLong("live"),
                    row.getLong("ended"),
                    row.getLong("delivered"),
                    row.getLong("consumed"),
                    row.getLong("suppressed"),
                    row.getLong("dead"),
                    row.getLong("pending")))
            .one());
  }
}
