import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.json.JsonMapper;

/**
 * A background task written with DBOS, for the benchmark: accepted over HTTP, a durable function
 * with one model call as a step, a durable message to its parent. Started from its source, with the
 * libraries of DBOS on the class path.
 */
public class DbosMain {

  static final JsonMapper JSON = JsonMapper.builder().build();
  static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  static final AtomicLong ENDED = new AtomicLong();

  public interface Agents {
    void parent();

    void child(String parent, String prompt);
  }

  public static class Working implements Agents {

    private final DBOS dbos;
    private final URI model;

    Working(DBOS dbos, String model) {
      this.dbos = dbos;
      this.model = URI.create(model + "/v1/chat/completions");
    }

    /** Exists, so that messages can be sent to it. */
    @Override
    @Workflow(name = "parent")
    public void parent() {
      dbos.recv("stop", Duration.ofDays(1));
    }

    @Override
    @Workflow(name = "child")
    public void child(String parent, String prompt) {
      var answer = dbos.runStep(() -> ask(prompt), "model");
      dbos.send(parent, answer, "results");
    }

    private String ask(String prompt) {
      try {
        var body = JSON.createObjectNode().put("model", "bench");
        body.putArray("messages").addObject().put("role", "user").put("content", prompt);
        var request =
            HttpRequest.newBuilder(model).POST(BodyPublishers.ofString(body.toString())).build();
        var answer = JSON.readTree(HTTP.send(request, BodyHandlers.ofString()).body());
        return answer.at("/choices/0/message/content").asString();
      } catch (IOException | InterruptedException fault) {
        throw new IllegalStateException(fault);
      }
    }
  }

  public static void main(String... arguments) throws IOException {
    var dbos =
        new DBOS(
            DBOSConfig.defaults("bench")
                .withDatabaseUrl(arguments[2])
                .withDbUser(arguments[3])
                .withDbPassword(arguments[4]));
    var agents = dbos.registerProxy(Agents.class, new Working(dbos, arguments[1]));
    dbos.launch();
    var parents = new String[Integer.parseInt(arguments[5])];
    for (int parent = 0; parent < parents.length; parent++) {
      parents[parent] = UUID.randomUUID().toString();
      dbos.startWorkflow(agents::parent, new StartWorkflowOptions(parents[parent]));
    }
    var server =
        HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 100);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/tasks", exchange -> accept(exchange, dbos, agents, parents));
    server.createContext("/ended", exchange -> answer(exchange, 200, Long.toString(ENDED.get())));
    server.start();
    System.out.println("ready");
  }

  /** The workflow is in the database when the request is answered. */
  private static void accept(HttpExchange exchange, DBOS dbos, Agents agents, String[] parents)
      throws IOException {
    var task = JSON.readTree(exchange.getRequestBody().readAllBytes());
    var id = UUID.randomUUID().toString();
    var prompt = task.path("prompt").asString();
    var parent = parents[task.path("parent").asInt()];
    var handle = dbos.startWorkflow(() -> agents.child(parent, prompt), new StartWorkflowOptions(id));
    answer(exchange, 202, "{\"id\": \"" + id + "\"}");
    Thread.ofVirtual().start(() -> {
      handle.getResult();
      ENDED.incrementAndGet();
    });
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes();
    exchange.getResponseHeaders().add("content-type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
