import com.sun.net.httpserver.HttpServer;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * Runs background tasks with DBOS for the benchmark: accepted over HTTP, a durable function
 * with one model call as a step, a durable message to its parent, and what a {@link Level} adds.
 */
final class DbosMain {

  private DbosMain() {}

  /**
   * @param arguments level, number of parents, port, URL of the model, then URL, user and password
   *     of the database
   */
  public static void main(String... arguments) throws IOException, SQLException {
    var level = Level.valueOf(arguments[0]);
    var dbos =
        new DBOS(
            DBOSConfig.defaults("bench")
                .withDatabaseUrl(arguments[4])
                .withDbUser(arguments[5])
                .withDbPassword(arguments[6]));
    var database = new Database(arguments[4], arguments[5], arguments[6]);
    var progress = new Progress(level);
    var journal = new Journal(level, dbos, database);
    var working = new WorkingAgents(dbos, new Model(arguments[3]), journal, progress);
    var agents = dbos.registerProxy(Agents.class, working);
    dbos.launch();
    var parents =
        IntStream.range(0, Integer.parseInt(arguments[1]))
            .mapToObj(number -> new Parent(dbos, agents, level, number))
            .toList();
    var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[2]));
    var server = HttpServer.create(address, 100);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    new Requests(dbos, new Tasks(dbos, agents, progress, parents), progress, database).serve(server);
    server.start();
    System.out.println("ready");
  }
}
