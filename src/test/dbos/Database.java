import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;

/** The table of the program beside those of DBOS: the transcripts. */
final class Database {

  /** With the 10 of DBOS, as many as a node of Errand has. */
  private static final int CONNECTIONS = 8;

  private static final String CREATE =
      """
      create table if not exists message (
        id bigint generated always as identity primary key,
        session text not null,
        task text not null,
        role text not null,
        content text not null,
        tokens int not null,
        created_at timestamptz not null default now(),
        unique (session, task, role)
      )
      """;

  private static final String INSERT =
      """
      insert into message (session, task, role, content, tokens) values (?, ?, ?, ?, ?)
      on conflict do nothing
      """;

  private static final String COUNTS =
      """
      select row_to_json(counts) from (
        select (select count(*) from dbos.workflow_status where name = 'child' and status = 'SUCCESS') as ended,
               (select count(*) from dbos.notifications where topic = 'results') as sent,
               (select count(*) from dbos.notifications where topic = 'results' and consumed) as received,
               (select count(*) from message) as messages,
               (select count(*) from message where tokens > 0) as answers,
               (select count(*) from dbos.streams) as changes) as counts
      """;

  private final HikariDataSource connections;

  Database(String url, String user, String password) throws SQLException {
    var config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(CONNECTIONS);
    connections = new HikariDataSource(config);
    try (var connection = connections.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(CREATE);
    }
  }

  /** An entry of the transcript of a session, which a task caused. */
  record Message(String session, String task, String role, String content, int tokens) {}

  /** Inserts a message, unless a step that is repeated has inserted it before. */
  void insert(Message message) throws SQLException {
    try (var connection = connections.getConnection();
        var statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, message.session());
      statement.setString(2, message.task());
      statement.setString(3, message.role());
      statement.setString(4, message.content());
      statement.setInt(5, message.tokens());
      statement.executeUpdate();
    }
  }

  /** Counts the rows of all tasks, as JSON. */
  String counts() throws SQLException {
    try (var connection = connections.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery(COUNTS)) {
      row.next();
      return row.getString(1);
    }
  }
}
