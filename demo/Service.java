package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The service that the demo uses: one that is already running, or one that it starts. */
final class Service {

  private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final Api api;
  private final Screen screen;
  private final int port;
  private final ServiceProcess launcher;

  Service(Api api, DemoOptions options, Screen screen) {
    this.api = api;
    this.screen = screen;
    this.port = options.port();
    this.launcher =
        new ServiceProcess(
            JAR.toAbsolutePath(), options.home().toAbsolutePath(), port, options.folder());
  }

  /**
   * Returns when the service accepts requests.
   *
   * @throws DemoFailure another program uses the port, or the service does not start
   */
  void ensureUp() throws IOException, InterruptedException {
    if (!isPortInUse()) {
      screen.line("service", "starting; its log goes to " + Screen.path(launcher.log()));
      start();
    } else if (isErrand()) {
      awaitReady(Optional.empty());
      screen.line("service", "using the Errand that is already running at " + api.url());
      process().ifPresent(running -> screen.nodeRuns(running.pid()));
    } else {
      throw new DemoFailure(
          "port %d is in use by another program; choose another one: make demo PORT=%d"
              .formatted(port, port + 1));
    }
  }

  /** Starts the service, and returns when it accepts requests. */
  void start() throws IOException, InterruptedException {
    var startedAt = System.nanoTime();
    var process = launcher.start();
    awaitReady(Optional.of(process));
    var took = (System.nanoTime() - startedAt) / 1e9;
    screen.line(
        "service",
        "ready at %s after %.1f s, process %d".formatted(api.url(), took, process.pid()));
    screen.nodeRuns(process.pid());
  }

  /** The process of the service, if this or an earlier demo has started it. */
  Optional<ProcessHandle> process() {
    return launcher.running();
  }

  /** Kills the process as {@code kill -9} does. */
  void kill(ProcessHandle process) {
    process.destroyForcibly();
    process.onExit().join();
    screen.nodeIsDead();
  }

  private void awaitReady(Optional<ProcessHandle> process)
      throws IOException, InterruptedException {
    var giveUpAt = System.nanoTime() + START_LIMIT.toNanos();
    while (!isReady()) {
      if (process.isPresent() && !process.get().isAlive()) {
        throw new DemoFailure("the service did not start; " + launcher.endOfLog());
      }
      if (System.nanoTime() > giveUpAt) {
        throw new DemoFailure(
            "the service was not ready within %d s; %s"
                .formatted(START_LIMIT.toSeconds(), launcher.endOfLog()));
      }
      Thread.sleep(PAUSE);
    }
  }

  private boolean isPortInUse() {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
      return true;
    } catch (IOException notListening) {
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
    } catch (Api.Away | DemoFailure notErrand) {
      return Optional.empty();
    }
  }

  void printNextSteps(String session) {
    var conversation = api.url() + "/v1/sessions/" + session;
    screen.empty();
    screen.line("service", api.url() + "  keeps running");
    screen.line("read on", conversation + "/messages");
    screen.line("", conversation + "/tasks");
    process()
        .ifPresentOrElse(
            process -> {
              screen.line("log", Screen.path(launcher.log()));
              screen.line("to stop", "kill " + process.pid());
            },
            () -> screen.line("to stop", "stop it where it was started"));
  }
}
