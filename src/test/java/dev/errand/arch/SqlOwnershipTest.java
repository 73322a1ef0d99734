package dev.errand.arch;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Each table has one owning package, and only this package contains SQL that names the table. A
 * statement is one constant text, so that it can be read, searched and planned as a whole.
 */
class SqlOwnershipTest {

  private static final Path SOURCES = Path.of("src/main/java/dev/errand");
  private static final Path MIGRATIONS = Path.of("src/main/resources/db/migration");

  private static final Map<String, Set<String>> TABLES =
      Map.of(
          "session",
          Set.of(
              "session",
              "message",
              "sent_request",
              "inbox",
              "tool_call",
              "outgoing_message",
              "todo",
              "seen_file",
              "file_change",
              "applied_patch",
              "tree",
              "tenant_day"),
          "task",
          Set.of("task", "idempotency_key"),
          "outbox",
          Set.of("outbox", "callback"),
          "event",
          Set.of("event", "event_log"),
          "worktree",
          Set.of("worktree", "worktree_change"),
          "node",
          Set.of("node"),
          "pause",
          Set.of("pause"),
          "auth",
          Set.of("api_key", "session_token", "audit"),
          "tenant",
          Set.of("tenant", "tenant_hour"));

  /** They read all tables: the read model, and the statistics. */
  private static final Set<String> READERS = Set.of("view", "ops");

  /**
   * Statements that read another package's table because one statement has to see both sides in one
   * state.
   */
  private static final Map<String, Set<String>> READS =
      Map.ofEntries(
          // a task, its change and the delivery of its result are written in one commit; the roots
          // of
          // an owner
          Map.entry("task/TaskList", Set.of("outbox", "worktree_change", "session")),
          // what the end of a task reports of its parent, what its child used, and whether tasks
          // below
          // it are expected, in the statement that ends it
          Map.entry("task/TaskEnds", Set.of("session", "callback", "message", "outbox")),
          // how far the child got, in the statement that decides whether its progress is due
          Map.entry("task/TaskProgress", Set.of("session", "tool_call")),
          // a task below changes from live to owed in one commit
          Map.entry("task/NestedTasks", Set.of("outbox", "session")),
          // candidates of sweeps; each step checks its own again under locks
          Map.entry("task/ChildQueue", Set.of("session")),
          Map.entry("task/SlotQueue", Set.of("session")),
          // a clock and the wait of its session, which are written in one commit
          Map.entry("task/StoppedClocks", Set.of("session")),
          // the same, and what the children of a parent's tasks wait for, under the lock of the
          // tree
          Map.entry("task/Siblings", Set.of("session", "tree")),
          Map.entry("task/EndedTasks", Set.of("outbox", "session", "inbox")),
          // the same, and again under the lock of the root
          Map.entry("task/UnusedTrees", Set.of("outbox", "session")),
          // its change and the state of its delivery; the newest task of a command whose child is
          // not
          // closed
          Map.entry("task/TaskStore", Set.of("outbox", "worktree_change", "session")),
          // the origin of the parent, in the statement that starts the task
          Map.entry("task/TaskClaims", Set.of("session")),
          // the tree as it was when siblings were counted; its limits are checked under its lock
          Map.entry("task/TaskInserts", Set.of("tree")),
          // a result that is due, in the statement that finds its row
          Map.entry("task/OwedResults", Set.of("outbox", "worktree_change")),
          // the trace of a row's task or session, in the statement that claims the row
          Map.entry("outbox/OutgoingQueue", Set.of("task", "session")),
          // the tenant of the parent, in the statement that writes its delivery
          Map.entry("outbox/OutboxStore", Set.of("session")),
          Map.entry("outbox/OutgoingRows", Set.of("session")),
          // the kind of the parent, in the statement that settles its notice
          Map.entry("outbox/NoticeStore", Set.of("session")),
          // the sessions of a tree, whose events are read, and the messages to which these refer;
          // the
          // tree whose numbers an event gets
          Map.entry("event/EventStore", Set.of("session", "message", "outgoing_message")),
          Map.entry("event/Trees", Set.of("session")),
          // copies whose child is closed or deleted
          Map.entry("worktree/WorktreeStore", Set.of("session")),
          // sessions and tool calls whose node has no row
          Map.entry("session/LiveSessions", Set.of("node")),
          Map.entry("session/StrandedCalls", Set.of("node")));

  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|^\\s*//.*?$", flags());

  private static final Pattern STRING =
      Pattern.compile("\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\\\n]|\\\\.)*)\"", flags());

  private static final Pattern USE = Pattern.compile("\\b(from|join|into|update)\\s+(\\w+)");

  private static final Pattern DELETED = Pattern.compile("\\bdelete from\\s+(\\w+)");

  private static final Pattern LOCK =
      Pattern.compile("\\b(from|join) session\\b.*\\bfor (no key |key )?(update|share)", flags());

  private static final Pattern STATEMENT =
      Pattern.compile(
          "\\s*(select\\s|insert into \\w+ \\(|update \\w+\\s+set\\s|delete from \\w+|"
              + "with (recursive )?\\w+( \\([^)]*\\))? as \\(|exists \\(select).*",
          flags());

  private static final Pattern PART_OF_STATEMENT =
      Pattern.compile(
          "(=|<|>|\\(|limit) ?:[a-z]\\w*\\b|\\bfor (no key )?(update|share)\\b|\\bskip locked\\b");

  private static final Pattern GLUED_BEFORE = Pattern.compile(".*(\\+|\\bformat\\()\\s*", flags());
  private static final Pattern GLUED_AFTER =
      Pattern.compile("\\s*(\\+|\\.(formatted|replace)\\().*", flags());

  private static int flags() {
    return Pattern.DOTALL | Pattern.MULTILINE;
  }

  /**
   * One string of a source file.
   *
   * @param glued whether the source adds something to it or puts something into it
   */
  private record Sql(String file, String text, boolean glued) {

    boolean isPart() {
      return STATEMENT.matcher(text).matches() ? glued : PART_OF_STATEMENT.matcher(text).find();
    }

    String owner() {
      return file.substring(0, file.indexOf('/'));
    }

    Set<String> named(BiPredicate<String, String> which) {
      var names = new TreeSet<String>();
      USE.matcher(text)
          .results()
          .filter(use -> which.test(use.group(1), use.group(2)))
          .forEach(use -> names.add(use.group(2)));
      return names;
    }

    Set<String> read() {
      return named((_, _) -> true);
    }

    Set<String> written() {
      var written = named((verb, _) -> verb.equals("into") || verb.equals("update"));
      DELETED.matcher(text).results().map(use -> use.group(1)).forEach(written::add);
      return written;
    }
  }

  @Test
  void everyTableHasOneOwner() throws IOException {
    var created = new TreeSet<String>();
    var dropped = new TreeSet<String>();
    try (var migrations = Files.list(MIGRATIONS)) {
      for (var migration : migrations.toList()) {
        Pattern.compile("(create|drop) table (\\w+)")
            .matcher(Files.readString(migration))
            .results()
            .forEach(
                found -> (found.group(1).equals("create") ? created : dropped).add(found.group(2)));
      }
    }
    created.removeAll(dropped);

    assertThat(TABLES.values().stream().flatMap(Set::stream).toList())
        .containsExactlyInAnyOrderElementsOf(created);
  }

  @Test
  void onlyTheOwnerWritesATable() {
    var violations = new ArrayList<String>();
    for (var sql : statements()) {
      foreign(sql, sql.written()).forEach(table -> violations.add(sql.file() + " writes " + table));
    }

    assertThat(violations).isEmpty();
  }

  @Test
  void onlyTheOwnerReadsATableExceptWhereListed() {
    var violations = new ArrayList<String>();
    var used = new HashSet<String>();
    for (var sql : statements()) {
      var allowed = READS.getOrDefault(sql.file(), Set.of());
      for (var table : foreign(sql, sql.read())) {
        if (allowed.contains(table)) {
          used.add(sql.file() + " " + table);
        } else if (!READERS.contains(sql.owner())) {
          violations.add(sql.file() + " reads " + table);
        }
      }
    }

    assertThat(violations).isEmpty();
    READS.forEach((file, tables) ->
        tables.forEach(table -> assertThat(used).as("listed").contains(file + " " + table)));
  }

  @Test
  void rowsOfSessionsAreLockedOnlyInTheirPackage() {
    assertThat(statements())
        .filteredOn(sql -> !sql.owner().equals("session"))
        .filteredOn(sql -> LOCK.matcher(sql.text()).find())
        .isEmpty();
  }

  /** The queries of the read model are HQL, whose conditions depend on the request. */
  @Test
  void statementsAreWhole() {
    assertThat(statements())
        .filteredOn(sql -> !sql.owner().equals("view"))
        .filteredOn(Sql::isPart)
        .isEmpty();
  }

  private static List<String> foreign(Sql sql, Set<String> tables) {
    return tables.stream()
        .filter(table ->
            TABLES.entrySet().stream()
                .anyMatch(owner ->
                    !owner.getKey().equals(sql.owner()) && owner.getValue().contains(table)))
        .toList();
  }

  private static List<Sql> statements() {
    try (var files = Files.walk(SOURCES)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.getParent() != null && !SOURCES.equals(file.getParent()))
          .flatMap(SqlOwnershipTest::strings)
          .toList();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** The strings of a file, each by itself, also if it is added to another one. */
  private static java.util.stream.Stream<Sql> strings(Path file) {
    try {
      var source = COMMENT.matcher(Files.readString(file)).replaceAll("");
      var name = SOURCES.relativize(file).toString().replace(".java", "");
      return STRING
          .matcher(source)
          .results()
          .map(string -> new Sql(name, withoutOwnNames(content(string)), isGlued(source, string)));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static boolean isGlued(String source, MatchResult string) {
    var before = source.substring(Math.max(0, string.start() - 40), string.start());
    var after = source.substring(string.end(), Math.min(source.length(), string.end() + 40));
    return GLUED_BEFORE.matcher(before).matches() || GLUED_AFTER.matcher(after).matches();
  }

  private static String content(MatchResult string) {
    return string.group(1) == null ? string.group(2) : string.group(1);
  }

  /** Names that a statement gives itself by {@code with} are no tables. */
  private static String withoutOwnNames(String text) {
    var own =
        Pattern.compile("\\b(?:with|recursive|,)\\s+(\\w+)(?:\\s*\\([^)]*\\))? as \\(")
            .matcher(text)
            .results()
            .map(name -> name.group(1))
            .collect(joining("|"));
    return own.isEmpty() ? text : text.replaceAll("\\b(from|join) (" + own + ")\\b", "");
  }
}
