package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.kit.OtherUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who can reach the embedded database. */
class EmbeddedDatabaseTest {

  private static final String CANARY = "canary-4711";

  /** The line of postmaster.pid. */
  private static final int SOCKET_DIRECTORY = 4;

  @TempDir Path folder;
  private Path home;

  /** A directory that every user may enter, with a home that every user may read. */
  @BeforeEach
  void open() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    home = Files.createDirectory(folder.resolve("home"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  @Test
  void onlyTheServiceReachesANewDatabaseAndADeletedPasswordIsReplaced() throws Exception {
    try (var database = EmbeddedDatabase.start(home)) {
      assertIsClosed(database);
      assertPasswordIsNowhereElse(database);
      assertNoRowValuesAreLogged(database);
    }

    Files.delete(home.resolve("pgpass"));
    try (var database = EmbeddedDatabase.start(home)) {
      assertIsClosed(database);
    }
  }

  @Test
  void homeOfAnotherUserIsRefused() throws IOException {
    var foreign = OtherUser.canBe() ? OtherUser.own(home) : Path.of("/");

    assertThatThrownBy(() -> EmbeddedDatabase.start(foreign))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("belongs to another user")
        .hasMessageContaining("ERRAND_HOME");
  }

  @Test
  void newDatabaseIsClosedAlsoAfterAKillAtEachStep() throws Exception {
    for (var step :
        List.of(Failpoint.PASSWORD_STORED, Failpoint.ROLES_CHANGED, Failpoint.ACCESS_CLOSED)) {
      assertThat(startUntil(step)).as("exit status at " + step).isEqualTo(137);
    }

    try (var database = EmbeddedDatabase.start(home)) {
      assertIsClosed(database);
    }
  }

  /** The service, in its own process, dies at a failpoint. */
  static final class Start {

    private Start() {}

    public static void main(String... arguments) {
      EmbeddedDatabase.start(Path.of(arguments[0]));
    }
  }

  private int startUntil(Failpoint step) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-Derrand.failpoint=" + step);
    command.add("-Dot.epg.working-dir=" + System.getProperty("ot.epg.working-dir"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Start.class.getName(), home.toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private void assertIsClosed(EmbeddedDatabase database) throws Exception {
    assertThat(modes(home, home.resolve("pgpass"), home.resolve("postgres.log")))
        .containsExactly("rwx------", "rw-------", "rw-------");
    assertThat(home).isDirectoryNotContaining("glob:**.new");
    assertConnectionsAreRefused(database);
    assertThat(rights(database)).isEqualTo("errand f f f f");
    assertThat(Files.readAllLines(home.resolve("postgres/postmaster.pid")).get(SOCKET_DIRECTORY))
        .isEmpty();
    assertThat(foreignTables(database)).isEqualTo("0");
    service(database)
        .useHandle(handle -> handle.execute("create table mine (id int); drop table mine"));
  }

  private void assertConnectionsAreRefused(EmbeddedDatabase database) throws Exception {
    for (var user : List.of("postgres", "errand")) {
      for (var password : List.of("", "postgres")) {
        var stranger = Jdbi.create(database.jdbcUrl(), user, password);
        assertThatThrownBy(stranger::open).as(user).isInstanceOf(JdbiException.class);
      }
    }
    var port = Integer.parseInt(database.jdbcUrl().replaceAll(".*:(\\d+)/.*", "$1"));
    assertThat(OtherUser.connect(port, "errand")).isEqualTo("password");
    assertThat(OtherUser.connect(port, "postgres")).isEqualTo("refused");
    assertThat(Path.of("/tmp/.s.PGSQL." + port)).doesNotExist();
    assertThat(OtherUser.cannot("ls", home.toString())).isTrue();
    assertThat(OtherUser.cannot("cat", home.resolve("pgpass").toString())).isTrue();
  }

  /** Others see the arguments of processes, and on some systems their environment. */
  private void assertPasswordIsNowhereElse(EmbeddedDatabase database) throws IOException {
    var password = database.password();
    assertThat(Files.readString(home.resolve("pgpass"))).contains(password);
    assertThat(Files.readString(home.resolve("postgres.log"))).doesNotContain(password);
    assertThat(ProcessHandle.allProcesses().map(EmbeddedDatabaseTest::shown))
        .noneMatch(text -> text.contains(password));
  }

  private static String shown(ProcessHandle process) {
    try {
      var proc = Path.of("/proc", Long.toString(process.pid()));
      return Files.readString(proc.resolve("cmdline"))
          + new String(Files.readAllBytes(proc.resolve("environ")));
    } catch (IOException ended) {
      return "";
    }
  }

  private void assertNoRowValuesAreLogged(EmbeddedDatabase database) throws IOException {
    service(database)
        .useHandle(handle -> {
          handle.execute("create table canary (id text primary key)");
          handle.execute("insert into canary values (?)", CANARY);
          assertThatThrownBy(() -> handle.execute("insert into canary values (?)", CANARY))
              .isInstanceOf(JdbiException.class);
        });
    assertThat(Files.readString(home.resolve("postgres.log")))
        .contains("canary_pkey")
        .doesNotContain(CANARY);
  }

  private static List<String> modes(Path... paths) throws IOException {
    var modes = new ArrayList<String>();
    for (var path : paths) {
      modes.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
    }
    return modes;
  }

  private static String rights(EmbeddedDatabase database) {
    return one(
        database,
        "select concat_ws(' ', rolname, rolsuper, rolcreaterole, rolreplication, rolbypassrls)"
            + " from pg_roles where rolname = current_user");
  }

  private static String foreignTables(EmbeddedDatabase database) {
    return one(
        database,
        "select count(*) from pg_class where relnamespace = 'public'::regnamespace"
            + " and relowner <> 'errand'::regrole");
  }

  private static String one(EmbeddedDatabase database, String sql) {
    return service(database)
        .withHandle(handle -> handle.createQuery(sql).mapTo(String.class).one());
  }

  private static Jdbi service(EmbeddedDatabase database) {
    return Jdbi.create(database.jdbcUrl(), database.user(), database.password());
  }
}
