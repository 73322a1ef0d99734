package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Assumptions;

/**
 * PostgreSQL 15 and PgBouncer as Debian packages them, as processes of a test. Tests that need them
 * are skipped where they are not installed.
 */
public final class DebianPostgres implements AutoCloseable {

  private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
  private static final Path POOLER = Path.of("/usr/sbin/pgbouncer");

  /** The role of the test, which may do everything. */
  public static final String SUPERUSER = "postgres";

  private final List<Process> processes = new ArrayList<>();
  private final Path folder;
  private final int port = Ports.free();

  private DebianPostgres(Path folder) throws IOException {
    this.folder = folder;
  }

  /**
   * Starts a server with a self-signed certificate, which trusts every client without a password.
   * The role {@code closed} needs one, and the role {@code stranger} is rejected.
   *
   * @param folder an empty one
   */
  public static DebianPostgres start(Path folder) throws IOException {
    skipWithout(PROGRAMS.resolve("initdb"), "postgresql-15");
    var server = new DebianPostgres(folder);
    var data = folder.resolve("data");
    server.run(PROGRAMS + "/initdb", "-D", data.toString(), "-U", SUPERUSER, "--encoding=UTF8");
    Files.writeString(
        data.resolve("pg_hba.conf"),
        """
        host all closed   127.0.0.1/32 scram-sha-256
        host all stranger 127.0.0.1/32 reject
        host all all      127.0.0.1/32 trust
        """);
    server.makeCertificate(data);
    server.launch(
        server.port,
        List.of(
            PROGRAMS + "/postgres",
            "-D",
            data.toString(),
            "-p",
            Integer.toString(server.port),
            "-c",
            "unix_socket_directories=",
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "ssl=on"));
    await().ignoreExceptions().untilAsserted(() -> server.execute("postgres", "select 1"));
    return server;
  }

  private static void skipWithout(Path program, String name) {
    Assumptions.assumeTrue(
        Files.exists(program), program + " is needed and was not found: apt-get install " + name);
  }

  private void makeCertificate(Path data) throws IOException {
    run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        data.resolve("server.key").toString(),
        "-out",
        data.resolve("server.crt").toString(),
        "-subj",
        "/CN=127.0.0.1",
        "-addext",
        "subjectAltName=IP:127.0.0.1");
  }

  /**
   * Starts a PgBouncer in front of this server.
   *
   * @param lines of its section {@code [pgbouncer]}
   * @return its port
   */
  public int pooler(String... lines) throws IOException {
    skipWithout(POOLER, "pgbouncer");
    var listen = Ports.free();
    var users = Files.writeString(folder.resolve("users.txt"), "\"postgres\" \"\"\n");
    var settings =
        """
        [databases]
        * = host=127.0.0.1 port=%d
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = trust
        auth_file = %s
        %s
        """
            .formatted(port, listen, users, String.join("\n", lines));
    var file = Files.writeString(folder.resolve("pgbouncer-" + listen + ".ini"), settings);
    launch(listen, List.of(POOLER.toString(), "-q", file.toString()));
    return listen;
  }

  /** The address of a database of this server. */
  public String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  /** Executes a statement as superuser. */
  public void execute(String database, String statement) {
    Jdbi.create(url(database), SUPERUSER, "").useHandle(handle -> handle.execute(statement));
  }

  private void run(String... command) throws IOException {
    try {
      assertThat(process(List.of(command)).waitFor())
          .as(() -> command[0] + "; see " + folder.resolve("log"))
          .isZero();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
  }

  private void launch(int listen, List<String> command) throws IOException {
    processes.add(process(command));
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .until(() -> {
          try (var socket = new Socket(InetAddress.getLoopbackAddress(), listen)) {
            return socket.isConnected();
          }
        });
  }

  /** Neither program runs as root. */
  private Process process(List<String> command) throws IOException {
    var all = new ArrayList<String>();
    if (LinuxUtils.isUnshareAvailable()) {
      all.addAll(List.of("unshare", "-U"));
    }
    all.addAll(command);
    return new ProcessBuilder(all)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
        .start();
  }

  @Override
  public void close() throws Exception {
    processes.forEach(Process::destroyForcibly);
    for (var process : processes) {
      process.waitFor();
    }
  }
}
