package dev.errand.tenant;

import dev.errand.node.Upkeep;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jdbi.v3.core.Jdbi;

/** Deletes what tenants delegated more than a day ago, hour by hour. */
@Singleton
class HourRetention implements Upkeep {

  private static final String DELETE =
      "delete from tenant_hour where hour < now() - interval '1 day'";

  private final Jdbi jdbi;

  HourRetention(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  @Override
  public String name() {
    return "delete_old_hours";
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
