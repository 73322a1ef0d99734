package dev.errand.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/**
 * Statements that are sent to PostgreSQL in one round trip, or in a few when there are many. They
 * are executed one after the other, each with a snapshot of its own and with what the ones before
 * it have changed, until one fails.
 */
public final class Pipeline {

  /** A parameter such as {@code :id}, but not a cast such as {@code ::uuid}. */
  private static final Pattern PARAMETER = Pattern.compile("(?<![:\\w]):([a-zA-Z]\\w*)");

  /** Statements that are sent together. The ends of many tasks in one transaction take turns. */
  private static final int MOST = 8;

  /**
   * The texts of what is sent together. There are few, because those of statements are constants.
   */
  private static final Map<List<String>, String> JOINED = new ConcurrentHashMap<>();

  private final List<Step<?>> steps = new ArrayList<>();

  /** Reads the current result of the statements that were sent. */
  private interface Reader<T> {
    T read(PreparedStatement sent, StatementContext context) throws SQLException;
  }

  private record Step<T>(Statement statement, Reader<T> reader, Outcome<T> outcome) {

    void read(PreparedStatement sent, StatementContext context) throws SQLException {
      outcome.value = reader.read(sent, context);
    }
  }

  private static final class Outcome<T> implements Supplier<T> {

    private @Nullable T value;

    @Override
    public T get() {
      return Objects.requireNonNull(value, "the pipeline was not executed");
    }
  }

  /**
   * Adds a statement that returns rows.
   *
   * @return to be read after the pipeline was executed
   */
  public <T> Supplier<List<T>> query(Statement statement, RowMapper<T> mapper) {
    return add(statement, (sent, context) -> rows(sent, mapper, context));
  }

  /** Adds a statement that returns nothing. */
  public void update(Statement statement) {
    var ignored = add(statement, (sent, _) -> sent.getUpdateCount());
  }

  private <T> Supplier<T> add(Statement statement, Reader<T> reader) {
    var outcome = new Outcome<T>();
    steps.add(new Step<>(statement, reader, outcome));
    return outcome;
  }

  private static <T> List<T> rows(
      PreparedStatement sent, RowMapper<T> mapper, StatementContext context) throws SQLException {
    var rows = new ArrayList<T>();
    try (ResultSet result = sent.getResultSet()) {
      while (result.next()) {
        rows.add(mapper.map(result, context));
      }
    }
    return rows;
  }

  /**
   * Executes statements in the current transaction.
   *
   * @param statements adds them, and gives what the result is read from
   */
  public static <T> T execute(Jdbi jdbi, Function<Pipeline, Supplier<T>> statements) {
    var pipeline = new Pipeline();
    var result = statements.apply(pipeline);
    pipeline.execute(jdbi);
    return result.get();
  }

  /** Executes the statements in the current transaction. Without any, nothing is sent. */
  public void execute(Jdbi jdbi) {
    for (int from = 0; from < steps.size(); from += MOST) {
      send(jdbi, steps.subList(from, Math.min(steps.size(), from + MOST)));
    }
  }

  private static void send(Jdbi jdbi, List<Step<?>> part) {
    var sql = JOINED.computeIfAbsent(texts(part), Pipeline::joined);
    jdbi.useHandle(handle -> {
      var together = handle.createUpdate(sql);
      for (int place = 0; place < part.size(); place++) {
        bind(together, part.get(place).statement(), place);
      }
      var ignored =
          together.execute((executed, context) -> {
            try (context) {
              var sent = executed.get();
              for (var step : part) {
                step.read(sent, context);
                sent.getMoreResults();
              }
              return part.size();
            }
          });
    });
  }

  private static List<String> texts(List<Step<?>> part) {
    return part.stream().map(step -> step.statement().sql()).toList();
  }

  /** Two statements may have parameters of the same name. */
  private static String joined(List<String> texts) {
    return IntStream.range(0, texts.size())
        .mapToObj(place -> PARAMETER.matcher(texts.get(place)).replaceAll(":$1_" + place))
        .collect(Collectors.joining(";\n"));
  }

  private static void bind(Update together, Statement statement, int place) {
    statement.values().forEach((name, value) -> together.bind(name + "_" + place, value));
  }
}
