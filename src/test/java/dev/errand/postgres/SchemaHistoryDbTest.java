package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SchemaHistoryDbTest {

  @Inject
  @ConfigProperty(name = "errand.db.url")
  String url;

  @Test
  void aDatabaseWithTheSchemaOfADevelopmentVersionIsRefused() {
    var database = emptyDatabase("old_history");
    flyway(database).migrate();
    Jdbi.create(database, "postgres", "")
        .useHandle(handle ->
            handle.execute(
                "update flyway_schema_history set checksum = -477022112 where version = '1'"));

    assertThatThrownBy(() -> flyway(database).migrate())
        .hasRootCauseInstanceOf(ConfigurationException.class)
        .rootCause()
        .hasMessage(
            "The database old_history of errand.db.url was made by a development version of Errand,"
                + " which this version cannot upgrade; remove it to start with an empty one");
  }

  @Test
  void aDatabaseOfThisVersionIsMigratedOnce() {
    var database = emptyDatabase("new_history");

    var first = flyway(database).migrate();
    var second = flyway(database).migrate();

    assertThat(first.migrationsExecuted).isPositive();
    assertThat(second.migrationsExecuted).isZero();
  }

  /** Without the time-out of the service's statements: it copies files. */
  private String emptyDatabase(String name) {
    Jdbi.create(url, "postgres", "").useHandle(handle -> handle.execute("create database " + name));
    return url.replaceFirst("/postgres$", "/" + name);
  }

  private static Flyway flyway(String url) {
    return Flyway.configure(SchemaHistoryDbTest.class.getClassLoader())
        .dataSource(url, "postgres", "")
        .callbacks(new SchemaHistoryCheck())
        .load();
  }
}
