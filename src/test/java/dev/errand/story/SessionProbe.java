package dev.errand.story;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Service;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** Reads the state of a running service over HTTP. */
final class SessionProbe {

  private static final Duration TIMEOUT = Duration.ofSeconds(120);

  private SessionProbe() {}

  /** Waits until a session rests and all results of its tasks are delivered. */
  static void awaitRest(Service service, String session) {
    Awaitility.await("session rests")
        .atMost(TIMEOUT)
        .pollDelay(Duration.ofMillis(100))
        .pollInterval(Duration.ofMillis(250))
        .until(() -> rests(service, session));
  }

  /** The session is read twice, because a result may wake it before its tasks are read. */
  private static boolean rests(Service service, String session) {
    var idle = service.get("/v1/sessions/" + session);
    return idle.get("state").asText().equals("idle")
        && tasks(service, session).stream().allMatch(SessionProbe::isDelivered)
        && service.get("/v1/sessions/" + session).equals(idle);
  }

  private static boolean isDelivered(JsonNode task) {
    return !task.get("ended_at").isNull() && !task.at("/delivery/state").asText().equals("pending");
  }

  static List<JsonNode> tasks(Service service, String session) {
    return service.items("/v1/sessions/" + session + "/tasks", "cursor");
  }

  static List<JsonNode> messages(Service service, String session) {
    return service.items("/v1/sessions/" + session + "/messages", "after_seq");
  }

  /** One line per message: its role, and {@code /notice} for a notice. */
  static List<String> roles(Service service, String session) {
    return messages(service, session).stream()
        .map(message ->
            message.get("role").asText()
                + (message.get("kind").asText().equals("notice") ? "/notice" : ""))
        .toList();
  }

  static String text(JsonNode message) {
    return message.at("/content/0/text").asText();
  }

  static String lastText(Service service, String session) {
    return text(messages(service, session).getLast());
  }
}
