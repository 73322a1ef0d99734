package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/** The demo's session: the prompt is sent, then everything is told as it happens. */
final class Conversation {

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration AWAY_LIMIT = Duration.ofSeconds(180);

  private final Api api;
  private final Screen screen;
  private final Wish wish;
  private final String session;
  private final Watch watch;

  private Conversation(Api api, Screen screen, Wish wish, String session) {
    this.api = api;
    this.screen = screen;
    this.wish = wish;
    this.session = session;
    this.watch = new Watch(api, session, new Story(screen));
  }

  /** Opens a session of a primary agent on the folder, and sends the prompt. */
  static Conversation open(Api api, Wish wish, Screen screen) throws InterruptedException {
    try {
      var session = api.post("/v1/sessions", newSession(api, wish));
      screen.line("folder", wish.folder().toString());
      screen.line("model", session.path("model").asText());
      screen.line("session", session.path("id").asText());
      screen.line("prompt", wish.prompt());
      screen.empty();
      var id = session.path("id").asText();
      api.post(
          "/v1/sessions/" + id + "/messages",
          api.json().createObjectNode().put("text", wish.prompt()));
      return new Conversation(api, screen, wish, id);
    } catch (Api.Away away) {
      throw new DemoFailure("the service " + away.getMessage() + ".");
    }
  }

  private static JsonNode newSession(Api api, Wish wish) {
    return api.json()
        .createObjectNode()
        .put("agent", "primary")
        .put("kind", "hosted")
        .put("title", "demo")
        .put("workspace", wish.folder().toString());
  }

  String session() {
    return session;
  }

  /**
   * Tells what happens until the agent has answered and nothing is left to do. A service that goes
   * away is waited for: everything is in its database.
   *
   * @throws DemoFailure something failed, or it takes too long
   */
  void follow() throws InterruptedException {
    var giveUpAt = System.nanoTime() + wish.limit().toNanos();
    while (!look()) {
      if (System.nanoTime() > giveUpAt) {
        throw new DemoFailure("no answer within %d s.".formatted(wish.limit().toSeconds()));
      }
      Thread.sleep(PAUSE);
    }
    watch.story().end();
  }

  private boolean look() throws InterruptedException {
    try {
      return watch.look();
    } catch (Api.Away away) {
      awaitReturn(away.getMessage());
      return false;
    }
  }

  private void awaitReturn(String reason) throws InterruptedException {
    var goneAt = System.nanoTime();
    screen.line("service", reason + "; waiting for it");
    while (!isBack()) {
      if (System.nanoTime() - goneAt > AWAY_LIMIT.toNanos()) {
        throw new DemoFailure(
            "the service did not come back within %d s; the task goes on when it is started again."
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
