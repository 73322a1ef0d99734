package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The session of the demo: sends the prompt, then prints what happens until the answer is there.
 */
final class Conversation {

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration AWAY_LIMIT = Duration.ofSeconds(180);

  private final Api api;
  private final Screen screen;
  private final DemoOptions options;
  private final String session;
  private final SseReader events;
  private final Narrator narrator;

  private Conversation(Api api, Screen screen, DemoOptions options, String session) {
    this.api = api;
    this.screen = screen;
    this.options = options;
    this.session = session;
    this.events = new SseReader(api, "/v1/sessions/" + session + "/events?tree=true");
    this.narrator = new Narrator(screen);
  }

  /** Opens a session of a primary agent on the directory, and sends the prompt. */
  static Conversation open(Api api, DemoOptions options, Screen screen)
      throws InterruptedException {
    try {
      var session = api.post("/v1/sessions", newSession(api, options));
      screen.line("folder", Screen.path(options.folder()));
      screen.line("model", session.path("model").asText());
      var id = session.path("id").asText();
      screen.line("console", api.url() + "/console/" + id);
      screen.line("prompt", options.prompt());
      screen.empty();
      api.post(
          "/v1/sessions/" + id + "/messages",
          api.json().createObjectNode().put("text", options.prompt()));
      return new Conversation(api, screen, options, id);
    } catch (Api.Away away) {
      throw new DemoFailure("the service " + away.getMessage() + ".");
    }
  }

  private static JsonNode newSession(Api api, DemoOptions options) {
    return api.json()
        .createObjectNode()
        .put("agent", "primary")
        .put("kind", "hosted")
        .put("title", "demo")
        .put("workspace", options.folder().toString());
  }

  String session() {
    return session;
  }

  /**
   * Kills the service once, and prints what happens until the agent has answered and no task is
   * left. Whenever the service goes away, the demo waits for it, because the state is in the
   * database of the service.
   *
   * @throws DemoFailure something failed, or took too long
   */
  void follow(Service service) throws InterruptedException {
    var following = new FutureTask<>(() -> followToTheEnd(new Crash(service, narrator)));
    Thread.ofVirtual().start(following);
    try {
      following.get(options.limit().toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new DemoFailure("no answer within %d s.".formatted(options.limit().toSeconds()));
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof DemoFailure reason) {
        throw reason;
      }
      throw new IllegalStateException(failed.getCause());
    }
    narrator.end();
  }

  private Void followToTheEnd(Crash crash) throws InterruptedException {
    var follower = new EventFollower(api, session, narrator, crash);
    var more = true;
    while (more) {
      try {
        more = events.read(follower);
      } catch (Api.Away away) {
        awaitReturn(away.getMessage());
      }
      Thread.sleep(PAUSE);
    }
    return null;
  }

  private void awaitReturn(String reason) throws InterruptedException {
    if (isBack()) {
      return;
    }
    var goneAt = System.nanoTime();
    screen.line("service", reason + "; waiting for it");
    while (!isBack()) {
      if (System.nanoTime() - goneAt > AWAY_LIMIT.toNanos()) {
        throw new DemoFailure(
            "the service did not come back within %d s; the task resumes when the service is started again."
                .formatted(AWAY_LIMIT.toSeconds()));
      }
      Thread.sleep(PAUSE);
    }
    screen.line(
        "service", "answers again after %.1f s".formatted((System.nanoTime() - goneAt) / 1e9));
  }

  private boolean isBack() throws InterruptedException {
    try {
      api.get("/v1/sessions/" + session);
      return true;
    } catch (Api.Away stillAway) {
      return false;
    }
  }
}
