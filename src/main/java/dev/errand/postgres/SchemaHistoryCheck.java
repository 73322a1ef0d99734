package dev.errand.postgres;

import io.quarkus.runtime.configuration.ConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Refuses a database whose schema was made before the baseline migration. Flyway instantiates it
 * and calls it before it validates the migrations.
 */
public final class SchemaHistoryCheck extends BaseCallback {

  private static final String IS_OLD =
      """
      select exists (select from flyway_schema_history
                     where version = '1' and script <> 'db/migration/V1__schema.sql' and script <> 'V1__schema.sql')
      """;

  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_VALIDATE;
  }

  @Override
  public void handle(Event event, Context context) {
    try {
      var connection = context.getConnection();
      if (isTrue(connection, "select to_regclass('flyway_schema_history') is not null")
          && isTrue(connection, IS_OLD)) {
        throw new ConfigurationException(
            "The database has the schema of a development version of Errand, which this version"
                + " cannot upgrade; use an empty database, or another ERRAND_HOME");
      }
    } catch (SQLException fault) {
      throw new IllegalStateException("The schema history could not be read", fault);
    }
  }

  private static boolean isTrue(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      return rows.next() && rows.getBoolean(1);
    }
  }
}
