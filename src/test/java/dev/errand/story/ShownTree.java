package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Browser;
import dev.errand.kit.Service;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A tree of sessions as the console or the API shows it, to compare the two. */
final class ShownTree {

  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled", "timed_out");

  /** Less than the minute after which a page reads the whole tree again. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private ShownTree() {}

  /** Waits until a page shows what the service shows, and nothing else. */
  static void awaitEqual(Browser page, Service service, String root) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(ofPage(page)).isEqualTo(ofService(service, root)));
  }

  /** The rows of a page: id, depth, state, turns, tool calls and takeovers of each session. */
  static List<String> ofPage(Browser page) {
    return page.run(
            """
            return [...document.querySelectorAll('.row[role=treeitem]')].map(row => [
              row.id.slice('row-'.length),
              row.ariaLevel,
              row.querySelector('.state').className.replace('state ', ''),
              row.querySelector('.col-facts').textContent,
              (row.querySelector('.badge[title^=taken]')?.textContent ?? '⟲0').slice(1),
            ].join(' '));
            """)
        .valueStream()
        .map(JsonNode::asText)
        .sorted()
        .toList();
  }

  /** What the page has to show. */
  static List<String> ofService(Service service, String root) {
    var tree = service.get("/v1/sessions/" + root + "/tree");
    var tasks = new HashMap<String, JsonNode>();
    tree.get("tasks").forEach(task -> tasks.put(task.get("session_id").asText(), task));
    return tree.get("sessions")
        .valueStream()
        .map(session -> row(session, tasks.get(session.get("id").asText())))
        .sorted()
        .toList();
  }

  private static String row(JsonNode session, @Nullable JsonNode task) {
    var own = session.get("state").asText();
    var ofTask = task == null ? own : task.get("state").asText();
    return String.join(
        " ",
        session.get("id").asText(),
        Integer.toString(session.get("depth").asInt() + 1),
        ENDED.contains(ofTask) ? ofTask : own,
        "%d · %d"
            .formatted(session.at("/usage/turns").asInt(), session.at("/usage/tool_calls").asInt()),
        task == null ? "0" : task.get("takeovers").asText());
  }
}
