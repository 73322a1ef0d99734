package demo;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A client of MCP delegates and goes idle. Then client and service are killed while the tasks run;
 * both come back, and the client is woken with every answer, once. Started by {@code make
 * demo-mcp}.
 */
final class McpDemo implements McpStory {

  private static final int TASKS = 8;
  private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Screen screen = new Screen(System.out);
  private final long startedAt = System.nanoTime();
  private final Set<String> working = ConcurrentHashMap.newKeySet();
  private final AtomicInteger answers = new AtomicInteger();
  private volatile boolean rests;

  public static void main(String... arguments) throws IOException, InterruptedException {
    try {
      new McpDemo().run();
    } catch (DemoFailure failure) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + failure.getMessage());
      System.exit(1);
    }
  }

  private void run() throws IOException, InterruptedException {
    var folder = Files.createTempDirectory("errand-demo-mcp");
    try (var models = new ScriptedModels(this, TASKS)) {
      var port = freePort();
      var service = new ServiceProcess(JAR.toAbsolutePath(), folder, port, folder);
      var server = "http://127.0.0.1:" + port + "/mcp";
      var client =
          ClaudeCode.install(screen, folder, models.url(), server)
              .orElseGet(() -> new SmallClientProcess(folder, server, this, TASKS));
      try {
        play(client, service, models, port);
      } finally {
        client.kill();
        service.running().ifPresent(ProcessHandle::destroy);
      }
    }
    screen.empty();
    screen.line("data, logs", folder.toString());
  }

  private void play(McpClient client, ServiceProcess service, ScriptedModels models, int port)
      throws IOException, InterruptedException {
    var environment =
        Map.of(
            "ERRAND_HOME",
            service.log().getParent().resolve("errand").toString(),
            "ERRAND_MODEL",
            "openai:scripted",
            "OPENAI_BASE_URL",
            models.url() + "/v1",
            "OPENAI_API_KEY",
            "sk-demo");
    start(service, environment, port);
    say("client", client.name() + " is started, with one server of MCP: Errand");
    client.open();
    await(() -> rests && working.size() == TASKS, "the tasks run");

    say("demo", "kill -9 of the client");
    client.kill();
    say("demo", "kill -9 of the service, while " + working.size() + " tasks run");
    kill(service.running().orElseThrow());
    working.clear();
    start(service, environment, port);
    await(() -> working.size() == TASKS, "the tasks run again");
    say("service", "all " + TASKS + " tasks run again, and may end now");
    say("client", "is started again, and continues");
    client.open();
    models.answer();
    await(() -> answers.get() >= TASKS, "the client is told every answer");
    screen.empty();
    screen.line("seen", TASKS + " tasks, two kills, " + answers + " answers");
  }

  private void start(ServiceProcess service, Map<String, String> environment, int port)
      throws IOException, InterruptedException {
    say("service", "starts");
    var process = service.start(environment);
    var api = new Api(port);
    await(() -> isReady(api), "the service is ready");
    say("service", "is ready at %s, pid %d".formatted(api.url(), process.pid()));
  }

  private static void kill(ProcessHandle process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  private static boolean isReady(Api api) {
    try {
      return api.get("/q/health/ready").path("status").asText().equals("UP");
    } catch (Api.Away | DemoFailure notYet) {
      return false;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void await(BooleanSupplier condition, String aim) throws InterruptedException {
    var giveUpAt = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > giveUpAt) {
        throw new DemoFailure("this did not happen in time: " + aim + ".");
      }
      Thread.sleep(PAUSE);
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void delegates(int tasks) {
    say("client", "delegates " + tasks + " tasks in one turn");
  }

  @Override
  public void rests() {
    rests = true;
    say("client", "the turn ends: the client is idle, and polls");
  }

  @Override
  public void isTold(String answer) {
    answers.incrementAndGet();
    say("client", "is woken: " + MessageFormat.firstLine(answer));
  }

  @Override
  public void works(String prompt) {
    if (working.add(prompt) && working.size() == TASKS) {
      say("service", TASKS + " subagents work");
    }
  }

  private synchronized void say(String who, String text) {
    screen.event(Duration.ofNanos(System.nanoTime() - startedAt), who, text);
  }
}
