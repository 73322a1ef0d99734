package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The default configuration: public pages may be fetched, addresses of this machine may not. */
@QuarkusTest
class WebFetchDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void addressOfThisMachineIsRefusedWithoutARequest() {
    try (var local = new WebhookReceiver()) {
      var session =
          kit.session(model ->
              model
                  .calls(
                      fetch(local.url()), fetch("http://localhost/"), fetch("file:///etc/passwd"))
                  .thenSays("no"));

      kit.say(session, "Fetch.");
      kit.awaitRest(session);

      assertThat(kit.toolResults(session))
          .hasSize(3)
          .allSatisfy(result -> assertThat(result.isError()).isTrue())
          .allSatisfy(result -> assertThat(result.text()).startsWith("url: "));
      assertThat(local.posts()).isEmpty();
    }
  }

  @Test
  void ruleForHostsApplies() {
    var rule = Map.of("permission", "webfetch", "pattern", "*.example.org", "action", "deny");
    var session =
        kit.session(
            Map.of("permissions", List.of(rule)),
            model -> model.calls(fetch("https://Docs.Example.org./x")).thenSays("no"));

    kit.say(session, "Fetch.");
    kit.awaitRest(session);

    assertThat(kit.toolResults(session).getFirst().text())
        .isEqualTo(
            "Permission denied: this session may not use webfetch on docs.example.org: denied by the"
                + " permissions that it was created with (rule: deny webfetch on *.example.org).");
  }

  @ParameterizedTest
  @CsvSource({"general, true", "explore, true", "plan, true", "bash, false"})
  void readOnlyAgentsMayFetch(String agent, boolean mayFetch) {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", agent)));

    assertThat(child.requests().getFirst().tools().stream().map(tool -> tool.name()))
        .satisfies(names -> assertThat(names.contains("webfetch")).isEqualTo(mayFetch));
  }

  private static Call fetch(String url) {
    return Call.of("webfetch", Map.of("url", url));
  }
}
