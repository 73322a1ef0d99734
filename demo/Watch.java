package demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks at the session, its tasks and their transcripts again and again; tells what is new. */
final class Watch {

  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled", "timed_out");

  private final Api api;
  private final String session;
  private final Story story;
  private final Map<String, Long> lastSeq = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private int quietLooks;

  Watch(Api api, String session, Story story) {
    this.api = api;
    this.session = session;
    this.story = story;
  }

  Story story() {
    return story;
  }

  /** Something new, and when it happened. */
  private record Event(Instant at, Runnable telling) {}

  /**
   * Tells what is new. Causes are asked for after their effects – the parent's transcript first,
   * then its tasks, then theirs – so that no effect is told without its cause.
   *
   * @return whether nothing is left to happen
   * @throws Api.Away what was asked for so far is told; ask again later
   */
  boolean look() throws Api.Away, InterruptedException {
    var events = new ArrayList<Event>();
    try {
      var state = api.get("/v1/sessions/" + session).path("state").asText();
      messages(session, events, story::parent);
      var tasks = api.get("/v1/sessions/" + session + "/tasks?limit=200").path("items");
      for (var task : tasks) {
        task(task, events);
      }
      return isQuiet(state, tasks);
    } finally {
      events.sort(Comparator.comparing(Event::at));
      events.forEach(event -> event.telling().run());
    }
  }

  private void task(JsonNode task, List<Event> events) throws Api.Away, InterruptedException {
    var id = task.path("id").asText();
    var child = task.path("subagent_type").asText();
    once(id + " delegated", task.path("created_at"), events, () -> story.delegated(task));
    if (task.hasNonNull("started_at")) {
      once(id + " started", task.path("started_at"), events, () -> story.started(task));
    }
    messages(task.path("session_id").asText(), events, message -> story.child(child, message));
    if (task.hasNonNull("ended_at")) {
      once(id + " ended", task.path("ended_at"), events, () -> story.ended(task));
    }
  }

  private void once(String key, JsonNode at, List<Event> events, Runnable telling) {
    if (told.add(key)) {
      events.add(new Event(Instant.parse(at.asText()), telling));
    }
  }

  private void messages(String id, List<Event> events, java.util.function.Consumer<JsonNode> teller)
      throws Api.Away, InterruptedException {
    var after = lastSeq.getOrDefault(id, 0L);
    var path = "/v1/sessions/" + id + "/messages?limit=200&after_seq=" + after;
    for (var message : api.get(path).path("items")) {
      lastSeq.put(id, message.path("seq").asLong());
      var at = Instant.parse(message.path("created_at").asText());
      events.add(new Event(at, () -> teller.accept(message)));
    }
  }

  /** Quiet twice in a row: between two looks nothing was on its way either. */
  private boolean isQuiet(String state, JsonNode tasks) {
    var quiet = state.equals("idle");
    for (var task : tasks) {
      quiet &= ENDED.contains(task.path("state").asText());
      quiet &= !task.path("delivery").path("state").asText().equals("pending");
    }
    quietLooks = quiet ? quietLooks + 1 : 0;
    return quietLooks > 1;
  }
}
