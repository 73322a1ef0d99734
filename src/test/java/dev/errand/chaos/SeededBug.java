package dev.errand.chaos;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/**
 * A bug that is added to a copy of the service to test whether the checker finds it: texts in the
 * constants of classes are replaced, and constraints of the database are dropped. The product
 * itself contains no switch for these bugs.
 *
 * @param changes the texts to replace
 * @param sql statements that run on the database before the load starts
 * @param scenario the scenario in which the bug causes damage
 * @param settings of each node
 */
record SeededBug(
    String name,
    List<Change> changes,
    List<String> sql,
    String scenario,
    Map<String, String> settings) {

  /**
   * Distributes two jobs of one session to two nodes; within one node a second run ends the first.
   */
  private static final Map<String, String> TWO_WORKERS = Map.of("ERRAND_MAX_CONCURRENT_RUNS", "2");

  /**
   * @param type a class of the service, {@code session/Fence} for example
   */
  record Change(String type, String text, String replacement) {}

  static final List<SeededBug> ALL =
      List.of(
          new SeededBug(
              "no fence",
              List.of(
                  new Change(
                      "session/Fence",
                      "and epoch = :epoch and state = 'running'",
                      "and :epoch > 0"),
                  new Change(
                      "session/NewMessages",
                      "or epoch = :epoch and state = 'running'",
                      "or :epoch > 0"),
                  new Change(
                      "session/TurnStore",
                      "and epoch = :epoch and state = 'running'",
                      "and :epoch > 0"),
                  new Change(
                      "session/SessionStore",
                      "and epoch = :epoch and state = 'running'",
                      "and :epoch > 0"),
                  new Change(
                      "session/ModelPatience",
                      "where id = :id and epoch = :epoch and state = 'running'",
                      "where id = :id and :epoch > 0"),
                  new Change(
                      "session/Waits",
                      "where id = :id and epoch = :epoch and state = 'running'",
                      "where id = :id and :epoch > 0"),
                  new Change(
                      "session/SessionTransitions",
                      "where id = :id and epoch = :epoch and state = 'running'",
                      "where id = :id and :epoch > 0")),
              List.of(),
              "taken-for-dead",
              Map.of()),
          new SeededBug(
              "no unique key, and rows are replayed in any state",
              List.of(
                  new Change(
                      "session/FreshEntries", "on conflict (source_outbox_id) do nothing", ""),
                  new Change(
                      "session/FreshEntries",
                      "where not exists (select 1 from message where delivery_id = fresh.outbox)",
                      "where true"),
                  new Change(
                      "task/OwedResults",
                      "outbox.state = 'pending' and target = 'session'",
                      "target = 'session'"),
                  new Change(
                      "outbox/OutboxStore",
                      "where id = any((select :ids)::uuid[]) and state = 'pending'\n",
                      "where id = any((select :ids)::uuid[])\n")),
              List.of(
                  "alter table inbox drop constraint inbox_source_outbox_id_key",
                  "drop index message_by_delivery"),
              "kill-one",
              TWO_WORKERS),
          new SeededBug(
              "claim that two workers can win",
              List.of(
                  new Change(
                      "session/SessionClaims",
                      "epoch = epoch + 1, node_id = :node, updated_at = now()\nwhere id = :id and state = 'queued'",
                      """
                      epoch = (select epoch from session where id = :id) + 1, node_id = :node, updated_at = now()
                      where id = :id and (select state from session where id = :id) = 'queued'
                        and pg_sleep(0.2) is not null\
                      """)),
              List.of(),
              "jobs-twice",
              TWO_WORKERS),
          new SeededBug(
              "relay by id > last, on a slow disk",
              List.of(
                  new Change(
                      "outbox/OutboxStore",
                      "greatest(clock_timestamp(), :notBefore::timestamptz)",
                      """
                      greatest(case when pg_sleep(random() * 0.1) is null then null else clock_timestamp() end,
                               :notBefore::timestamptz)\
                      """),
                  new Change(
                      "task/OwedResults",
                      "available_at <= statement_timestamp()",
                      """
                      available_at <= statement_timestamp()
                        and not exists (
                          select 1 from outbox later where later.id > outbox.id and later.state <> 'pending')\
                      """)),
              List.of(),
              "kill-one",
              TWO_WORKERS),
          new SeededBug(
              "message that does not lock its session, on a slow disk",
              List.of(
                  new Change("session/Mailbox", "for no key update", "for key share"),
                  new Change(
                      "session/Inbox",
                      ":body::jsonb",
                      "(case when pg_sleep(0.1) is null then null else :body end)::jsonb")),
              List.of(),
              "idle-race",
              TWO_WORKERS));

  @Override
  public String toString() {
    return name;
  }

  /**
   * Creates a copy of the service with this bug.
   *
   * @return the jar that starts the copy
   */
  Path install(Path jar, Path into) throws IOException {
    var from = Objects.requireNonNull(jar.getParent());
    try (var files = Files.walk(from)) {
      for (var file : files.toList()) {
        Files.copy(file, into.resolve(from.relativize(file).toString()));
      }
    }
    for (var change : changes) {
      for (var classes : archives(into)) {
        seed(classes, change);
      }
    }
    return into.resolve(jar.getFileName());
  }

  /**
   * Classes that Quarkus transforms are in a separate archive, which precedes the original classes
   * in the class path.
   */
  private static List<Path> archives(Path app) throws IOException {
    try (var own = Files.list(app.resolve("app"))) {
      return Stream.concat(
              own.filter(file -> file.toString().endsWith(".jar")),
              Stream.of(app.resolve("quarkus/transformed-bytecode.jar")))
          .toList();
    }
  }

  private static void seed(Path archive, Change change) throws IOException {
    try (var classes = FileSystems.newFileSystem(archive)) {
      var file = classes.getPath("/dev/errand/" + change.type() + ".class");
      if (Files.exists(file)) {
        var compiled = Files.readAllBytes(file);
        Files.write(file, ClassConstants.exchange(compiled, change.text(), change.replacement()));
      }
    }
  }

  void prepare(Jdbi jdbi) {
    jdbi.useHandle(handle -> sql.forEach(handle::execute));
  }
}
