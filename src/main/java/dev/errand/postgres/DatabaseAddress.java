package dev.errand.postgres;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The address of the database, and the user as whom the service connects to it when it does not use
 * its pool.
 */
@Singleton
public class DatabaseAddress {

  /** Without a user and a password before the host: the driver logs what it takes for a port. */
  private static final Pattern FORM = Pattern.compile("jdbc:postgresql:[^@?]+(\\?.*)?");

  private static final int CONNECT_SECONDS = 5;

  private final String url;
  private final String user;
  private final String password;

  DatabaseAddress(
      @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
      @ConfigProperty(name = "quarkus.datasource.username") String user,
      @ConfigProperty(name = "quarkus.datasource.password") Optional<String> password) {
    this.url = url;
    this.user = user;
    this.password = password.orElse("");
  }

  /** Reads the address for code that runs before the container exists. */
  static DatabaseAddress of(Config config) {
    return new DatabaseAddress(
        config.getValue("quarkus.datasource.jdbc.url", String.class),
        config.getValue("quarkus.datasource.username", String.class),
        config.getOptionalValue("quarkus.datasource.password", String.class));
  }

  /**
   * Opens a connection and executes a statement on it. Limits of statements belong into this
   * statement: a parameter {@code options} of the URL replaces those of the start-up message.
   *
   * @param silence the longest wait for an answer of the server, in whole seconds
   */
  public Connection connect(Duration silence, String statement) throws SQLException {
    var connection = source(silence).getConnection();
    try (var session = connection.createStatement()) {
      session.execute(statement);
      return connection;
    } catch (SQLException | RuntimeException fault) {
      connection.close();
      throw fault;
    }
  }

  /**
   * Opens connections with the parameters of the URL, which take precedence over those of the
   * service, as they do in the pool.
   *
   * @param silence the longest wait for an answer of the server, in whole seconds
   */
  DataSource source(Duration silence) throws SQLException {
    var source = new PGSimpleDataSource();
    var named = parameters();
    for (var parameter : defaults(silence).entrySet()) {
      if (!named.containsKey(parameter.getKey())) {
        source.setProperty((String) parameter.getKey(), (String) parameter.getValue());
      }
    }
    source.setURL(url);
    return source;
  }

  private Properties defaults(Duration silence) {
    var defaults = new Properties();
    PGProperty.USER.set(defaults, user);
    PGProperty.PASSWORD.set(defaults, password);
    PGProperty.CONNECT_TIMEOUT.set(defaults, CONNECT_SECONDS);
    PGProperty.SOCKET_TIMEOUT.set(defaults, (int) silence.toSeconds());
    PGProperty.TCP_KEEP_ALIVE.set(defaults, true);
    PGProperty.LOG_SERVER_ERROR_DETAIL.set(defaults, false);
    PGProperty.TARGET_SERVER_TYPE.set(defaults, "primary");
    return defaults;
  }

  /**
   * @throws IllegalStateException the URL is not one of a PostgreSQL database; the message does not
   *     contain it, because people put passwords into it
   */
  private Properties parameters() {
    var parameters = FORM.matcher(url).matches() ? Driver.parseURL(url, null) : null;
    if (parameters == null) {
      throw new IllegalStateException(
          "ERRAND_DB_URL must have the form jdbc:postgresql://host:5432/database; the user and the"
              + " password belong into ERRAND_DB_USER and ERRAND_DB_PASSWORD");
    }
    return parameters;
  }

  /** Returns the host and the port, as in the URL. */
  String server() {
    return value(PGProperty.PG_HOST) + ":" + value(PGProperty.PG_PORT);
  }

  String database() {
    return value(PGProperty.PG_DBNAME);
  }

  String user() {
    var named = PGProperty.USER.getOrDefault(parameters());
    return named == null ? user : named;
  }

  private String value(PGProperty property) {
    return value(property, parameters());
  }

  private static String value(PGProperty property, Properties parameters) {
    var value = property.getOrDefault(parameters);
    return value == null ? "" : value;
  }
}
