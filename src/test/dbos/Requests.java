import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.dbos.transact.DBOS;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The requests that the program answers:
 *
 * <ul>
 *   <li>{@code POST /tasks} accepts a task
 *   <li>{@code GET /done}: how many tasks need nothing more
 *   <li>{@code GET /counts}: the rows of all tasks
 *   <li>{@code GET /changes/<workflow>?<n>}: the changes that a workflow writes, one a line, without
 *       the first {@code n}
 * </ul>
 */
record Requests(DBOS dbos, Tasks tasks, Progress progress, Database database) {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String CHANGES = "/changes/";
  private static final int PASSES = 2;

  void serve(HttpServer server) {
    server.createContext("/tasks", this::accept);
    server.createContext("/done", request -> answer(request, 200, progress.done()));
    server.createContext("/counts", this::count);
    server.createContext(CHANGES, this::follow);
  }

  private void accept(HttpExchange request) throws IOException {
    var task = JSON.readTree(request.getRequestBody());
    answer(request, 202, tasks.accept(task.path("parent").asInt(), task.path("prompt").asString()));
  }

  private void count(HttpExchange request) throws IOException {
    try {
      answer(request, 200, JSON.readTree(database.counts()));
    } catch (SQLException fault) {
      throw new IOException(fault);
    }
  }

  /**
   * Reads the stream twice, because the library says that it has ended when the workflow writes its
   * last change and ends between two of its own queries.
   */
  private void follow(HttpExchange request) throws IOException {
    var workflow = request.getRequestURI().getPath().substring(CHANGES.length());
    var after = request.getRequestURI().getQuery();
    int sent = after == null ? 0 : Integer.parseInt(after);
    request.sendResponseHeaders(200, 0);
    try (var out = request.getResponseBody()) {
      for (int pass = 0; pass < PASSES; pass++) {
        var changes = dbos.readStream(workflow, Journal.CHANGES);
        for (int number = 0; changes.hasNext(); number++) {
          var change = changes.next();
          if (number == sent) {
            out.write((change + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
            sent++;
          }
        }
      }
    }
  }

  private static void answer(HttpExchange request, int status, Object body) throws IOException {
    var bytes = JSON.writeValueAsBytes(body);
    request.getResponseHeaders().add("content-type", "application/json");
    request.sendResponseHeaders(status, bytes.length);
    request.getResponseBody().write(bytes);
    request.close();
  }
}
