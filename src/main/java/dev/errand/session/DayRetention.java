package dev.errand.session;

import dev.errand.node.Upkeep;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jdbi.v3.core.Jdbi;

/** Deletes what tenants used on a day more than a year ago. */
@Singleton
class DayRetention implements Upkeep {

  private static final String DELETE =
      "delete from tenant_day where day < (now() at time zone 'utc')::date - 400";

  private final Jdbi jdbi;

  DayRetention(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  @Override
  public String name() {
    return "delete_old_days";
  }

  @Override
  public Duration every() {
    return Duration.ofHours(1);
  }

  @Override
  public boolean runSome() {
    jdbi.useHandle(handle -> handle.execute(DELETE));
    return false;
  }
}
