package dev.errand.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
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

  private final List<PipelineStep> steps = new ArrayList<>();

  /**
   * A statement.
   *
   * @param rows null when it returns nothing
   */
  private record PipelineStep(Statement statement, @Nullable Rows<?> rows) {}

  /** The result of a statement. It is available once the pipeline was executed. */
  public static final class Rows<T> {

    private final RowMapper<T> mapper;
    private @Nullable List<T> rows;

    private Rows(RowMapper<T> mapper) {
      this.mapper = mapper;
    }

    public List<T> list() {
      return Objects.requireNonNull(rows, "the pipeline was not executed");
    }

    /** Returns the row of a statement that always returns one. */
    public T one() {
      return list().getFirst();
    }

    /** Returns the row of a statement that returns at most one. */
    public Optional<T> find() {
      return list().stream().findFirst();
    }

    private void read(PreparedStatement sent, StatementContext context) throws SQLException {
      var read = new ArrayList<T>();
      try (ResultSet result = sent.getResultSet()) {
        while (result.next()) {
          read.add(mapper.map(result, context));
        }
      }
      rows = read;
    }
  }

  /** Adds a statement that returns rows. */
  public <T> Rows<T> query(Statement statement, RowMapper<T> mapper) {
    var rows = new Rows<>(mapper);
    steps.add(new PipelineStep(statement, rows));
    return rows;
  }

  /** Adds a statement that returns nothing. */
  public void update(Statement statement) {
    steps.add(new PipelineStep(statement, null));
  }

  /** Executes one statement that returns rows, in the current transaction. */
  public static <T> Rows<T> execute(Jdbi jdbi, Statement statement, RowMapper<T> mapper) {
    var pipeline = new Pipeline();
    var rows = pipeline.query(statement, mapper);
    pipeline.execute(jdbi);
    return rows;
  }

  /** Executes one statement that returns nothing, in the current transaction. */
  public static void execute(Jdbi jdbi, Statement statement) {
    var pipeline = new Pipeline();
    pipeline.update(statement);
    pipeline.execute(jdbi);
  }

  /** Executes the statements in the current transaction. Without any, nothing is sent. */
  public void execute(Jdbi jdbi) {
    for (int from = 0; from < steps.size(); from += MOST) {
      send(jdbi, steps.subList(from, Math.min(steps.size(), from + MOST)));
    }
  }

  private static void send(Jdbi jdbi, List<PipelineStep> part) {
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
                if (step.rows() != null) {
                  step.rows().read(sent, context);
                }
                sent.getMoreResults();
              }
              return part.size();
            }
          });
    });
  }

  private static List<String> texts(List<PipelineStep> part) {
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
