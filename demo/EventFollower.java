package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Narrates the events of a session and of all sessions below it until nothing is left to do. */
final class EventFollower implements SseReader.Listener {

  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled", "timed_out");

  private final Api api;
  private final String session;
  private final Narrator narrator;
  private final Crash crash;
  private final Map<String, String> agents = new HashMap<>();
  private final Set<String> started = new HashSet<>();
  private long lastSeq;

  EventFollower(Api api, String session, Narrator narrator, Crash crash) {
    this.api = api;
    this.session = session;
    this.narrator = narrator;
    this.crash = crash;
  }

  /**
   * Asks the service before it narrates, so that an event whose handling failed can be repeated.
   *
   * @return whether more events are wanted
   */
  @Override
  public boolean on(SseReader.Event event) throws Api.Away, InterruptedException {
    var data = event.data();
    switch (event.type()) {
      case "session.message" -> message(event, data);
      case "session.state" -> {
        return state(event, data.path("state").asText());
      }
      case "subagent.created" -> {
        agents.put(data.path("session_id").asText(), data.path("subagent_type").asText());
        narrator.delegated(event.time(), data);
      }
      case "subagent.completed", "subagent.failed" ->
          narrator.ended(event.time(), api.get("/v1/tasks/" + data.path("task_id").asText()));
      case "tool.ended" -> {
        if (!event.session().equals(session)) {
          crash.subagentWorks();
        }
      }
      case "session.taken_over" -> narrator.takenOver(event.time(), agent(event));
      case "delivery.dead" -> {
        return !isQuiet();
      }
      default -> {}
    }
    return true;
  }

  /** Only messages of a transcript have a sequence number. */
  private void message(SseReader.Event event, JsonNode data) throws Api.Away, InterruptedException {
    if (!data.has("seq")) {
      return;
    }
    var message = complete(data);
    if (event.session().equals(session)) {
      narrator.primary(event.time(), message);
      lastSeq = message.path("seq").asLong();
    } else {
      narrator.child(event.time(), agent(event), message);
    }
  }

  /** The event of a long message is without its content. */
  private JsonNode complete(JsonNode message) throws Api.Away, InterruptedException {
    if (!message.path("truncated").asBoolean()) {
      return message;
    }
    var path = "/v1/sessions/%s/messages?limit=1&after_seq=%d";
    var before = message.path("seq").asLong() - 1;
    var page = api.get(path.formatted(message.path("session_id").asText(), before));
    return page.path("items").path(0);
  }

  private boolean state(SseReader.Event event, String state) throws Api.Away, InterruptedException {
    if (event.session().equals(session)) {
      return !(state.equals("idle") && isQuiet());
    }
    if (state.equals("running") && started.add(event.session())) {
      narrator.started(event.time(), agent(event));
    }
    return true;
  }

  private String agent(SseReader.Event event) {
    return event.session().equals(session)
        ? "primary"
        : agents.getOrDefault(event.session(), "subagent");
  }

  /**
   * Every task has ended and its result has been delivered, the session is idle, and its whole
   * transcript has been narrated. After a reconnect the events are behind the state of the service.
   */
  private boolean isQuiet() throws Api.Away, InterruptedException {
    var path = "/v1/sessions/" + session;
    for (var task : api.get(path + "/tasks?limit=200").path("items")) {
      if (!ENDED.contains(task.path("state").asText())
          || task.path("delivery").path("state").asText().equals("pending")) {
        return false;
      }
    }
    return api.get(path).path("state").asText().equals("idle")
        && api.get(path + "/messages?limit=1&after_seq=" + lastSeq).path("items").isEmpty();
  }
}
