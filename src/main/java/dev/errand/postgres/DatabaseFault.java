package dev.errand.postgres;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Says in one sentence why the service cannot use its database, and what to do. The SQLSTATEs are
 * those of the appendix "PostgreSQL Error Codes".
 */
final class DatabaseFault {

  private static final String DIRECT =
      "connect to PostgreSQL itself, usually port 5432, or use a pool in session mode";

  private final DatabaseAddress address;

  DatabaseFault(DatabaseAddress address) {
    this.address = address;
  }

  String sentence(SQLException fault) {
    var message = messageOf(fault);
    if (isOfPooler(message)) {
      return pooler(message);
    }
    var state = Optional.ofNullable(fault.getSQLState()).orElse("");
    return switch (state) {
      case "28P01" -> wrongPassword();
      case "08004" -> at("does not accept the role %s: %s", address.user(), message);
      case "28000" -> refused(message);
      case "3D000" -> missingDatabase();
      case "3F000" -> "The database %s has no schema for the tables: %s".formatted(name(), message);
      case "42501" -> missingRight(message);
      case "53300" -> noConnection(message);
      case "57P03" -> at("is starting or stopping (%s); start Errand when it is ready", message);
      case "25006" -> readOnly();
      default -> state.startsWith("08") ? unreachable(fault, message) : other(message, state);
    };
  }

  /** Returns the first line of what the server or the driver says. */
  private static String messageOf(SQLException fault) {
    var lines = Optional.ofNullable(fault.getMessage()).orElse("").strip();
    return lines.lines().findFirst().orElse("no reason given").replaceFirst("^[A-Z]+: +", "");
  }

  /** PostgreSQL itself never refuses these. */
  private static boolean isOfPooler(String message) {
    var lower = message.toLowerCase(Locale.ROOT);
    return lower.contains("startup parameter") || lower.contains("statement pooling mode");
  }

  /** Returns the sentence about a pooler that cannot carry the connections of the service. */
  String pooler(String message) {
    var direct =
        address.server().contains("-pooler.")
            ? "use the direct address " + address.server().replace("-pooler.", ".")
            : DIRECT;
    return at(
        "is a connection pooler, such as PgBouncer, which Errand cannot use: %s; %s",
        message, direct);
  }

  private String wrongPassword() {
    return at(
        "refuses the password of the role %s; check ERRAND_DB_USER and ERRAND_DB_PASSWORD",
        address.user());
  }

  private String refused(String message) {
    return at(
        "does not accept the role %s: %s; check ERRAND_DB_USER and the server's pg_hba.conf",
        address.user(), message);
  }

  private String missingDatabase() {
    return at(
        "has no database %1$s; create it: create database %1$s owner %2$s encoding 'UTF8' template"
            + " template0",
        quoted(address.database()), quoted(address.user()));
  }

  private String missingRight(String message) {
    return "The role %s lacks a right in the database %s: %s; see \"Rights of the role\" in docs/operations/install.md"
        .formatted(address.user(), name(), message);
  }

  /** Returns the sentence about a role that may not create tables. */
  String noTables(String schema) {
    return "The role %s may not create tables in the schema %s of the database %s; as its owner: grant usage, create on schema %s to %s"
        .formatted(address.user(), schema, name(), quoted(schema), quoted(address.user()));
  }

  /** Returns the sentence about a search path without an existing schema. */
  String noSchema(String searchPath) {
    return "No schema of the search path (%s) exists in the database %s, or the role %s may not use it; create it: create schema … authorization %s"
        .formatted(searchPath, name(), address.user(), quoted(address.user()));
  }

  /** Returns the sentence about a database with another encoding. */
  String encoding(String encoding) {
    return "The database %s has the encoding %s, which cannot store every text; create another one: create database errand owner %s encoding 'UTF8' template template0"
        .formatted(name(), encoding, quoted(address.user()));
  }

  /** Returns the sentence about a server of another version. */
  String tooOld(String version) {
    return at("has the version %s; Errand needs 15 or newer", version);
  }

  /** Returns the sentence about settings with which a commit can be lost. */
  String mayLoseCommits(String settings) {
    return at("may lose commits with %s; turn these on", settings);
  }

  private String noConnection(String message) {
    return at(
        "has no free connection: %s; a node needs up to 19, so raise max_connections or the"
            + " connection limit of the role, or stop other clients",
        message);
  }

  /** Returns the sentence about a server that accepts no writes. */
  String readOnly() {
    return at(
        "accepts no writes: it is a standby, or default_transaction_read_only is on; name the"
            + " primary server in ERRAND_DB_URL");
  }

  private String unreachable(SQLException fault, String message) {
    return switch (networkFault(fault)) {
      case UnknownHostException _ ->
          at("cannot be found: its host name is unknown; check ERRAND_DB_URL");
      case ConnectException _, NoRouteToHostException _ ->
          at("cannot be reached: no server accepts connections there; check ERRAND_DB_URL");
      case SocketTimeoutException _ -> silent();
      case SSLException tls ->
          at(
              "cannot be reached by TLS: %s; name the certificate of its authority with"
                  + " sslrootcert=<file> in ERRAND_DB_URL",
              tls.getMessage());
      case EOFException _ -> at("closes the connection without an answer; is it PostgreSQL?");
      case null, default ->
          message.contains("targetServerType") ? readOnly() : at("cannot be used: %s", message);
    };
  }

  /** Returns the sentence about a server that accepts a connection and does not answer. */
  String silent() {
    return at("does not answer; check ERRAND_DB_URL, the network and the server");
  }

  private static @Nullable Throwable networkFault(Throwable fault) {
    return Stream.iterate(fault, each -> each != null, Throwable::getCause)
        .filter(each -> !(each instanceof SQLException))
        .findFirst()
        .orElse(null);
  }

  private String other(String message, String state) {
    return at("cannot be used: %s (SQLSTATE %s)", message, state);
  }

  private String at(String rest, @Nullable Object... values) {
    return "PostgreSQL at " + address.server() + " " + rest.formatted(values);
  }

  private String name() {
    return quoted(address.database()) + " at " + address.server();
  }

  private static String quoted(String identifier) {
    return identifier.matches("[a-z_][a-z0-9_]*")
        ? identifier
        : '"' + identifier.replace("\"", "\"\"") + '"';
  }
}
