package dev.errand.kit;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import org.flywaydb.core.Flyway;

/**
 * The profile of tests that start the service on a database with schema version 1 and the sessions,
 * tasks and deliveries of a run that was cut off. The service migrates it to the newest version.
 */
public final class Baseline implements QuarkusTestProfile {

  /** Ends the lease of the node that made the dump, and its claim on a delivery. */
  public static final String END_NODE =
      """
      with ended as (update node set lease_until = clock_timestamp() - interval '1 second'
                     where started_at > clock_timestamp())
      update outbox set claimed_until = clock_timestamp() where claim is not null
      """;

  private static final String DUMP = "/migration/baseline.sql";

  /** Moves every instant of the dump, so that it seems to have been taken just now. */
  private static final String SHIFT =
      """
      do $$
      declare it record;
      begin
        for it in select table_name, column_name
                  from information_schema.columns join information_schema.tables using (table_schema, table_name)
                  where table_schema = 'public' and table_type = 'BASE TABLE'
                    and data_type = 'timestamp with time zone' loop
          execute format('update %%I set %%I = %%I + (now() - timestamptz %%L)',
                         it.table_name, it.column_name, it.column_name, '%s');
        end loop;
      end $$
      """;

  /** Agents may not work in a directory that contains those of the service's own files. */
  private static final String MOVE_WORKSPACES = "update session set workspace = '%s'";

  /** The node that made the dump counts as alive until a test ends it. */
  private static final String KEEP_NODE_ALIVE =
      """
      with kept as (update node set started_at = now() + interval '1 hour', lease_until = now() + interval '1 hour')
      update outbox set claimed_until = now() + interval '1 hour' where claim is not null
      """;

  /** Fills an empty database. */
  static void load(String url, String user) throws SQLException {
    Flyway.configure(Baseline.class.getClassLoader())
        .dataSource(url, user, "")
        .target("1")
        .load()
        .migrate();
    var dump = dump();
    var taken = dump.substring("-- ".length(), dump.indexOf('\n'));
    try (var connection = DriverManager.getConnection(url, user, "");
        var statement = connection.createStatement()) {
      statement.execute(dump);
      statement.execute(SHIFT.formatted(taken));
      statement.execute(KEEP_NODE_ALIVE);
      statement.execute(MOVE_WORKSPACES.formatted(Path.of("").toAbsolutePath()));
    }
  }

  private static String dump() {
    try (var file = Objects.requireNonNull(Baseline.class.getResourceAsStream(DUMP))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
