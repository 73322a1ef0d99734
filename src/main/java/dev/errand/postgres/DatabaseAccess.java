package dev.errand.postgres;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The access to the embedded database: only the service may connect to it, as the owner of its
 * database without further rights, with a password that only the user of the service can read.
 * PostgreSQL's {@code initdb} leaves a database that trusts every local user. It is closed before
 * the server starts, in steps that can be repeated after a kill.
 */
final class DatabaseAccess {

  /** The role of the service. No other role may connect. */
  static final String ROLE = "errand";

  /** In the format of {@code PGPASSFILE}, so that tools of PostgreSQL can read it. */
  private static final String PASSWORD_FILE = "pgpass";

  private static final String PASSWORD_LINE = "127.0.0.1:*:*:" + ROLE + ":";
  private static final int PASSWORD_BYTES = 32;

  /** Iterations protect a password that can be guessed; this one is random and has 256 bits. */
  private static final int SCRAM_ITERATIONS = 1;

  private static final String RULES_FILE = "pg_hba.conf";

  private static final String RULES =
      """
      # Errand writes this file at each start.
      # TYPE  DATABASE  USER    ADDRESS       METHOD
      host    all       %s  127.0.0.1/32  scram-sha-256
      """
          .formatted(ROLE);

  /** One statement, and therefore one transaction. Idempotent. Ends with an empty line. */
  private static final String ROLES =
      """
      do $$
      begin
        if not exists (select from pg_roles where rolname = '%1$s') then
          create role %1$s;
        end if;
        alter role %1$s login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '%2$s';
        alter role postgres nologin password null;
        alter database postgres owner to %1$s;
        alter schema public owner to %1$s;
      end $$;

      """;

  private final Path home;

  DatabaseAccess(Path home) {
    this.home = home;
  }

  /** Makes the password of a new data folder, or of one whose password was deleted. */
  void preparePassword(Path data) throws IOException {
    var file = home.resolve(PASSWORD_FILE);
    if (!Files.exists(file)) {
      PrivateHome.delete(data.resolve(RULES_FILE)); // so that the role gets the new password
      PrivateHome.write(file, PASSWORD_LINE + newPassword() + "\n");
    }
    Failpoint.PASSWORD_STORED.pass();
  }

  /** Closes the data folder. Called while no server runs; the rules are its last step. */
  void close(Path data, Path binaries) {
    try {
      var rules = data.resolve(RULES_FILE);
      if (!Files.exists(rules) || !Files.readString(rules).equals(RULES)) {
        execute(data, binaries, ROLES.formatted(ROLE, password()));
        Failpoint.ROLES_CHANGED.pass();
        PrivateHome.write(rules, RULES);
        Failpoint.ACCESS_CLOSED.pass();
      }
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static String newPassword() {
    var random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /** Returns the password of the role of the service. */
  String password() throws IOException {
    var line = Files.readString(PrivateHome.file(home.resolve(PASSWORD_FILE))).strip();
    if (!line.matches(PASSWORD_LINE.replace("*", "\\*") + "[A-Za-z0-9_-]{8,}")) {
      throw new IllegalStateException(
          "the file "
              + home.resolve(PASSWORD_FILE)
              + " is not as the service wrote it; delete it, and the service makes a new one");
    }
    return line.substring(PASSWORD_LINE.length());
  }

  /**
   * Runs a statement without a server, so that no client can connect. The statement is passed by
   * the standard input, and not logged when it fails, because it contains the password.
   */
  private void execute(Path data, Path binaries, String statement) throws IOException {
    var command = new ArrayList<String>();
    if (LinuxUtils.isUnshareAvailable()) {
      command.addAll(List.of("unshare", "-U")); // PostgreSQL refuses to run as root
    }
    command.addAll(List.of(binaries.resolve("bin/postgres").toString(), "--single", "-j"));
    command.addAll(List.of("-D", data.toString(), "-c", "exit_on_error=on"));
    command.addAll(List.of("-c", "log_min_error_statement=panic", "-c", "fsync=on"));
    command.addAll(List.of("-c", "scram_iterations=" + SCRAM_ITERATIONS, "postgres"));
    var log = Redirect.appendTo(PrivateHome.file(home.resolve(EmbeddedDatabase.LOG)).toFile());
    var process = new ProcessBuilder(command).redirectOutput(log).redirectError(log).start();
    try (var input = process.getOutputStream()) {
      input.write(statement.getBytes(StandardCharsets.UTF_8));
    }
    if (exitStatus(process) != 0) {
      throw new IOException(
          "the access to the embedded database could not be set up; see "
              + home.resolve(EmbeddedDatabase.LOG));
    }
  }

  private static int exitStatus(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while setting up the embedded database", interrupted);
    }
  }
}
