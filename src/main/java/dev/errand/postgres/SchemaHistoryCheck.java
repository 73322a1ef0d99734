package dev.errand.postgres;

import io.quarkus.runtime.configuration.ConfigurationException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.eclipse.microprofile.config.ConfigProvider;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Refuses a database whose first migration is not the baseline of this version. Flyway instantiates
 * this class, and calls it before it validates the migrations.
 */
public final class SchemaHistoryCheck extends BaseCallback {

  /** Flyway's checksum of {@code V1__schema.sql}. The file never changes again. */
  static final int BASELINE = -1148311025;

  private static final String HISTORY = "select to_regclass('flyway_schema_history') is not null";

  private static final String IS_OLD =
      "select exists (select from flyway_schema_history where version = '1' and checksum <> ?)";

  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_VALIDATE;
  }

  @Override
  public void handle(Event event, Context context) {
    try {
      var connection = context.getConnection();
      if (isTrue(connection, HISTORY) && isTrue(connection, IS_OLD, BASELINE)) {
        throw new ConfigurationException(
            where(connection)
                + " was made by a development version of Errand, which this version cannot upgrade;"
                + " remove it to start with an empty one");
      }
    } catch (SQLException fault) {
      throw new IllegalStateException("The schema history could not be read", fault);
    }
  }

  private static String where(Connection connection) throws SQLException {
    if (Boolean.getBoolean("errand.db.embedded")) {
      var home = ConfigProvider.getConfig().getValue("errand.home", String.class);
      return "The folder " + Path.of(home, "postgres").toAbsolutePath().normalize();
    }
    return "The database " + connection.getCatalog() + " of errand.db.url";
  }

  private static boolean isTrue(Connection connection, String sql, Object... values)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (var at = 0; at < values.length; at++) {
        statement.setObject(at + 1, values[at]);
      }
      try (var rows = statement.executeQuery()) {
        return rows.next() && rows.getBoolean(1);
      }
    }
  }
}
