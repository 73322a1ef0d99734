package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The service that the demo talks to: one that runs already, or one it starts and leaves up. */
final class Service {

  private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final Api api;
  private final int port;
  private final Launch launch;

  /**
   * @param home where the service keeps its data, and the demo its log
   */
  Service(Api api, int port, Path home) {
    this.api = api;
    this.port = port;
    this.launch = new Launch(JAR.toAbsolutePath(), home.toAbsolutePath(), port);
  }

  /**
   * Returns when the service takes requests.
   *
   * @throws DemoFailure the port belongs to something else, or the service does not start
   */
  void ensureUp(Screen screen) throws IOException, InterruptedException {
    if (!isTaken()) {
      start(screen);
    } else if (isErrand()) {
      awaitReady(Optional.empty());
      screen.line("service", "an Errand runs already at " + api.url() + "; it is used");
    } else {
      throw new DemoFailure(
          "port %d is taken by something that is no Errand; choose another one: make demo PORT=%d"
              .formatted(port, port + 1));
    }
  }

  private void start(Screen screen) throws IOException, InterruptedException {
    screen.line("service", "starting; its log goes to " + launch.log());
    var startedAt = System.nanoTime();
    var process = launch.start();
    awaitReady(Optional.of(process));
    var took = (System.nanoTime() - startedAt) / 1e9;
    screen.line(
        "service", "ready at %s after %.1f s, pid %d".formatted(api.url(), took, process.pid()));
  }

  private void awaitReady(Optional<ProcessHandle> process)
      throws IOException, InterruptedException {
    var giveUpAt = System.nanoTime() + START_LIMIT.toNanos();
    while (!isReady()) {
      if (process.isPresent() && !process.get().isAlive()) {
        throw new DemoFailure("the service did not start; " + launch.endOfLog());
      }
      if (System.nanoTime() > giveUpAt) {
        throw new DemoFailure(
            "the service was not ready within %d s; %s"
                .formatted(START_LIMIT.toSeconds(), launch.endOfLog()));
      }
      Thread.sleep(PAUSE);
    }
  }

  private boolean isTaken() {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
      return true;
    } catch (IOException nobodyThere) {
      return false;
    }
  }

  private boolean isErrand() throws InterruptedException {
    return answer("/v1/agents")
        .filter(agents -> agents.path("items").findValuesAsText("name").contains("primary"))
        .isPresent();
  }

  private boolean isReady() throws InterruptedException {
    return answer("/q/health/ready")
        .filter(health -> health.path("status").asText().equals("UP"))
        .isPresent();
  }

  private Optional<JsonNode> answer(String path) throws InterruptedException {
    try {
      return Optional.of(api.get(path));
    } catch (Api.Away | DemoFailure noErrand) {
      return Optional.empty();
    }
  }

  void sayHowToGoOn(Screen screen, String session) {
    var conversation = api.url() + "/v1/sessions/" + session;
    screen.empty();
    screen.line("service", api.url() + "  stays up");
    screen.line("read on", conversation + "/messages");
    screen.line("", conversation + "/tasks");
    launch
        .running()
        .ifPresentOrElse(
            process -> {
              screen.line("log", launch.log().toString());
              screen.line("to stop", "kill " + process.pid());
            },
            () -> screen.line("to stop", "end it where it was started"));
  }
}
