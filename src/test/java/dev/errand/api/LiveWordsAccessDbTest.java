package dev.errand.api;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.HeardWords;
import dev.errand.kit.Http;
import dev.errand.kit.SpeakingModel;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The words of a session are heard only by callers that may see it. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class LiveWordsAccessDbTest {

  @Inject TaskKit kit;
  @Inject SpeakingModel models;

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @AfterEach
  void close() {
    WithAuthentication.actAsNobody();
  }

  @Test
  void wordsAreHeardOnlyWhereTheirSessionMayBeSeen() throws Exception {
    var owner = key("agent", Map.of());
    WithAuthentication.actAs(owner);
    var root = kit.externalSession();
    var child = speakingTask(root, "one");
    var sibling = speakingTask(root, "other");
    var ofSibling = token(owner, sibling);
    as(ADMIN_KEY).contentType("application/json").body(Map.of()).put("/v1/tenants/starling");
    var ofOtherTenant = key("viewer", Map.of("tenant", "starling"));

    for (var caller : List.of(key("agent", Map.of()), ofOtherTenant, ofSibling)) {
      for (var hidden : List.of(root, child)) {
        as(caller).get(path(hidden)).then().statusCode(404);
      }
    }

    try (var all = EventClient.follow(Http.uri(path(root)), owner);
        var part = EventClient.follow(Http.uri(path(sibling)), ofSibling)) {
      models.speaker("one").sayUntil(() -> heard(all, child));
      models.speaker("other").sayUntil(() -> heard(all, sibling) && heard(part, sibling));

      assertThat(heard(part, child)).isFalse();
    } finally {
      models.speaker("one").end();
      models.speaker("other").end();
    }
    kit.awaitRest(root);
  }

  private SessionId speakingTask(SessionId root, String prompt) {
    return kit.look(kit.submit(root, prompt, Map.of("model", SpeakingModel.NAME))).child();
  }

  private static String token(String owner, SessionId session) {
    return as(owner)
        .contentType("application/json")
        .body(Map.of("expires_in_s", 3600))
        .post("/v1/sessions/{id}/tokens", session.toString())
        .then()
        .statusCode(201)
        .extract()
        .path("token");
  }

  private static String path(SessionId session) {
    return "/v1/sessions/" + session + "/events?tree=true&deltas=true";
  }

  private static boolean heard(EventClient client, SessionId session) {
    return !new HeardWords(client, session).deltas().isEmpty();
  }
}
