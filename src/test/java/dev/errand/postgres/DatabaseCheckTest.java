package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.kit.DebianPostgres;
import dev.errand.kit.Ports;
import dev.errand.kit.SilentServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each database that the service cannot use is refused with a sentence about it. */
class DatabaseCheckTest {

  private static final String SESSION =
      "set statement_timeout = '10s'; set lock_timeout = '2s'; set jit = off";

  private static DebianPostgres server;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException {
    server = DebianPostgres.start(folder);
    for (var statement :
        new String[] {
          "create role closed login password 'right'",
          "create role stranger login",
          "create role plain login",
          "create role few_rights login",
          "create role few login connection limit 0",
          "create role reader login",
          "alter role reader set default_transaction_read_only = on",
          "create role \"Mixed Case\" login",
          "create database errand",
          "create database latin encoding 'LATIN1' locale 'C' template template0",
          "create database bytes encoding 'SQL_ASCII' locale 'C' template template0",
          "create database away allow_connections false",
          "create database own owner plain",
          "create database made owner plain"
        }) {
      server.execute("postgres", statement);
    }
    server.execute("errand", "create schema app authorization plain");
    server.execute("errand", "create schema hidden");
    server.execute("made", "create table flyway_schema_history (version text)");
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          errand     | closed     | wrong | refuses the password of the role closed; check ERRAND_DB_USER
          errand     | closed     |       | does not accept the role closed: The server requested SCRAM-based authentication, but the password is an empty string
          errand     | stranger   |       | does not accept the role stranger: pg_hba.conf rejects connection
          errand     | missing    |       | does not accept the role missing: role "missing" does not exist
          nowhere    | plain      |       | create database nowhere owner plain encoding 'UTF8' template template0
          No%20where | Mixed Case |       | create database "No where" owner "Mixed Case"
          away       | postgres   |       | database "away" is not currently accepting connections
          latin      | postgres   |       | has the encoding LATIN1
          bytes      | postgres   |       | has the encoding SQL_ASCII
          errand     | plain      |       | grant usage, create on schema public to plain
          errand     | Mixed Case |       | grant usage, create on schema public to "Mixed Case"
          errand     | few        |       | has no free connection: too many connections for role "few"
          errand     | reader     |       | accepts no writes
          errand?currentSchema=none                                 | plain    | | No schema of the search path
          errand?options=-c%20search_path%3Dnone                    | postgres | | No schema of the search path (none) exists
          errand?options=-c%20search_path%3Dhidden                  | plain    | | or the role plain may not use it
          errand?options=-c%20default_transaction_read_only%3Don    | postgres | | accepts no writes
          errand?targetServerType=secondary                         | postgres | | accepts no writes
          errand?options=-c%20synchronous_commit%3Doff              | postgres | | may lose commits with synchronous_commit=off
          errand?options=-c%20nosuch%3D1                            | postgres | | unrecognized configuration parameter "nosuch"
          errand?sslmode=verify-full&sslrootcert=/nowhere.crt       | postgres | | Could not open SSL root certificate file
          errand?sslmode=verify-full&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory | postgres | | cannot be reached by TLS: (certificate_unknown) PKIX path building failed
          """)
  void unusableDatabaseIsRefusedWithASentence(
      String database, String user, @Nullable String password, String sentence) {
    assertThatThrownBy(() -> check(server.url(database), user, password))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(sentence)
        .message()
        .doesNotContain("\n", "wrong");
  }

  /** A role needs no right to create when the tables are there. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          errand, postgres
          own, plain
          errand?currentSchema=app, plain
          errand?options=-c%20search_path%3Dapp, plain
          errand?options=-c%20work_mem%3D8MB, postgres
          errand?options=-c%20statement_timeout%3D0, postgres
          errand?user=postgres, missing
          errand?sslmode=require, postgres
          errand?sslmode=disable, postgres
          errand?prepareThreshold=0&socketTimeout=5, postgres
          made, few_rights
          """)
  void usableDatabaseIsAccepted(String database, String user) {
    assertThatCode(() -> check(server.url(database), user, null)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost:5432/errand",
        "postgres://me:secret@localhost/errand",
        "postgresql://localhost/errand",
        "jdbc:mysql://localhost/errand",
        "jdbc:postgresql://me:secret@localhost/errand",
        "jdbc:postgresql://localhost:port/errand",
        "\"jdbc:postgresql://localhost/errand\""
      })
  void otherAddressIsRefusedWithoutShowingItsPassword(String url) {
    assertThatThrownBy(() -> check(url, "me", null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ERRAND_DB_URL must have the form jdbc:postgresql://host:5432/data")
        .message()
        .doesNotContain("secret");
  }

  @Test
  void serverThatDoesNotListenIsNamed() throws IOException {
    var port = Ports.free();

    assertThatThrownBy(() -> check("jdbc:postgresql://127.0.0.1:" + port + "/errand", "me", null))
        .hasMessage(
            "PostgreSQL at 127.0.0.1:%d cannot be reached: no server accepts connections there;"
                + " check ERRAND_DB_URL",
            port);
  }

  @Test
  void unknownHostIsNamed() {
    assertThatThrownBy(() -> check("jdbc:postgresql://host.invalid/errand", "me", null))
        .hasMessageContaining("PostgreSQL at host.invalid:5432 cannot be found");
  }

  /** Neither the driver nor the operating system ends such a wait by itself. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                               | does not answer
          N                                | does not answer
          S                                | does not answer
          HTTP/1.1 400 Bad Request         | cannot be used
          SSH-2.0-OpenSSH_9.2              | does not answer
          """)
  @Timeout(30)
  void serverThatIsNoPostgresIsNamed(String answer, String sentence) throws IOException {
    try (var silent = new SilentServer(answer)) {
      assertThatThrownBy(() -> check(silent.url(), "me", null))
          .hasMessageContaining("PostgreSQL at 127.0.0.1:")
          .hasMessageContaining(sentence);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          transaction | ignore_startup_parameters = extra_float_digits         | | it loses the settings of a session
          transaction | ignore_startup_parameters = options,extra_float_digits | &options=-c%20work_mem%3D8MB | it loses the settings of a session
          transaction | ''                                                     | | it loses the settings of a session
          session     | ''                                                     | &options=-c%20work_mem%3D8MB | unsupported startup parameter: options
          statement   | ''                                                     | | transaction blocks not allowed in statement pooling mode
          """)
  void poolerThatDoesNotKeepTheSessionIsNamed(
      String mode, String line, @Nullable String options, String sentence) throws IOException {
    var url =
        pooled(server.pooler("pool_mode = " + mode, line))
            + Objects.requireNonNullElse(options, "");

    assertThatThrownBy(() -> check(url, "postgres", null))
        .hasMessageContaining("is a connection pooler, such as PgBouncer")
        .hasMessageContaining(sentence)
        .hasMessageContaining("connect to PostgreSQL itself, usually port 5432");
  }

  /** The pool has idle connections of other clients, and takes the one that is idle for longest. */
  @Test
  void poolerWithIdleConnectionsIsRecognised() throws Exception {
    var port =
        server.pooler(
            "pool_mode = transaction",
            "ignore_startup_parameters = extra_float_digits",
            "server_round_robin = 1");
    try (var first = DriverManager.getConnection(pooled(port), "postgres", "");
        var second = DriverManager.getConnection(pooled(port), "postgres", "")) {
      first.setAutoCommit(false);
      second.setAutoCommit(false);
      first.createStatement().execute("select 1");
      second.createStatement().execute("select 1");
      first.commit();
      second.commit();

      assertThatThrownBy(() -> check(pooled(port), "postgres", null))
          .hasMessageContaining("it loses the settings of a session");
    }
  }

  @Test
  void poolerInSessionModeIsAccepted() throws IOException {
    var port =
        server.pooler("pool_mode = session", "ignore_startup_parameters = extra_float_digits");

    assertThatCode(() -> check(pooled(port), "postgres", null)).doesNotThrowAnyException();
  }

  @Test
  void directAddressOfAHostedPoolerIsNamed() {
    var address =
        new DatabaseAddress(
            "jdbc:postgresql://ep-cool-rain-123-pooler.eu-central-1.aws.neon.tech/neondb",
            "me",
            Optional.empty());

    assertThat(new DatabaseFault(address).pooler("it loses settings"))
        .endsWith("use the direct address ep-cool-rain-123.eu-central-1.aws.neon.tech:5432");
  }

  private static String pooled(int port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/errand?prepareThreshold=0";
  }

  private static void check(String url, String user, @Nullable String password) {
    new DatabaseCheck(new DatabaseAddress(url, user, Optional.ofNullable(password)), SESSION)
        .check();
  }
}
