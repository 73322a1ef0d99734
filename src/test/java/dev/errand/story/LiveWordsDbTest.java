package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.HeardWords;
import dev.errand.kit.Http;
import dev.errand.kit.SpeakingEndpoint.Speaker;
import dev.errand.kit.SpeakingModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.secret.Secrets;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Clients hear the words of a model while it speaks. */
@QuarkusTest
class LiveWordsDbTest implements Story {

  private static final String PROMPT = "Tell me.";
  private static final String SECRET = "sk-live-0123456789abcdefghijklmnopqrstuvwxyz";

  @Inject TaskKit kit;
  @Inject SpeakingModel models;

  @Test
  void wordsArriveBeforeTheirMessageAndJoinToIt() throws Exception {
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    try (var client = follow(session, "?deltas=true");
        var plain = follow(session, "")) {
      var heard = new HeardWords(client, session);
      kit.say(session, PROMPT);
      speaker.think("Nobody reads this.");
      speaker.sayUntil(() -> heard.deltas().size() > 15);

      assertThat(kit.transcript(session)).hasSize(1);
      assertThat(heard.text()).startsWith("word ");
      assertThat(heard.shortestPause()).isGreaterThan(Duration.ofMillis(95));

      speaker.end();
      await().until(() -> isAnswered(client) && isAnswered(plain));
      kit.awaitRest(session);
      var stored = kit.transcript(session).getLast().text();
      assertThat(stored).startsWith(heard.text());
      assertThat(
              client.types().subList(client.types().indexOf("model.ended"), client.types().size()))
          .doesNotContain("message.delta");
      assertThat(heard.deltas()).extracting(EventClient.Received::id).containsOnly(0L);
      assertThat(plain.types()).doesNotContain("message.delta");
    }
  }

  @Test
  void longWordsThatPiledUpAreHeardCompletely() throws Exception {
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    var poem = "Große Wörter \"in\" Zitaten 😀\n".repeat(1_000);
    kit.say(session, PROMPT);
    speaker.say(poem);
    try (var client = follow(session, "?deltas=true")) {
      var heard = new HeardWords(client, session);

      speaker.sayUntil(() -> heard.text().startsWith(poem));

      assertThat(heard.deltas())
          .extracting(delta -> delta.data().get("text").asText().getBytes(StandardCharsets.UTF_8))
          .allSatisfy(text -> assertThat(text).hasSizeLessThan(4_096));
    }
    speaker.end();
    kit.awaitRest(session);
  }

  @Test
  void secretThatArrivesInTwoPartsIsNeverHeard() throws Exception {
    Secrets.register(SECRET);
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    try (var client = follow(session, "?deltas=true")) {
      var heard = new HeardWords(client, session);
      kit.say(session, PROMPT);
      speaker.say("The key is " + SECRET.substring(0, 20));
      Speaker.repeatUntil(() -> speaker.think("Hm."), () -> heard.text().equals("The key is "));
      speaker.say(SECRET.substring(20) + " and ");
      speaker.sayUntil(() -> heard.text().startsWith("The key is *** and word "));

      speaker.end();
      kit.awaitRest(session);

      assertThat(client.received().toString()).doesNotContain(SECRET.substring(0, 8));
      assertThat(kit.transcript(session).getLast().text()).startsWith(heard.text());
    }
  }

  @Test
  void wordsBeforeALongCallAreHeardCompletely() throws Exception {
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    try (var client = follow(session, "?deltas=true")) {
      var heard = new HeardWords(client, session);
      kit.say(session, PROMPT);
      speaker.say("I write it");
      speaker.call("call_1", "todowrite", "{\"todos\": []");
      Speaker.repeatUntil(
          () -> speaker.call("call_1", "todowrite", " "), () -> heard.text().equals("I write it"));
      speaker.call("call_1", "todowrite", "}");
      speaker.end();
      await().until(() -> client.types().contains("tool.ended"));
      speaker.sayUntil(() -> heard.text().startsWith("word "));

      assertThat(heard.text()).startsWith("word ");
      speaker.end();
      kit.awaitRest(session);
    }
  }

  @Test
  void answerThatIsContinuedAfterTheTokenLimitIsHeardAsOne() throws Exception {
    var session = kit.sessionOf(SpeakingModel.NAME);
    var speaker = models.speaker(PROMPT);
    try (var client = follow(session, "?deltas=true")) {
      var heard = new HeardWords(client, session);
      kit.say(session, PROMPT);
      speaker.say("The first ");
      speaker.cut();
      speaker.say("and the second part, ");
      speaker.sayUntil(() -> heard.text().startsWith("The first and the second part, word "));

      speaker.end();
      kit.awaitRest(session);
      assertThat(kit.transcript(session)).hasSize(2);
      assertThat(kit.transcript(session).getLast().text()).startsWith(heard.text());
    }
  }

  @Test
  void streamHearsTheSessionsThatItIncludes() throws Exception {
    var root = kit.externalSession();
    var one = speakingTask(root, "one");
    var other = speakingTask(root, "other");
    try (var tree = follow(root, "?tree=true&deltas=true");
        var ofRoot = follow(root, "?deltas=true");
        var belowOne = follow(one, "?tree=true&deltas=true");
        var ofOther = follow(other, "?deltas=true")) {
      models.speaker("one").sayUntil(() -> heard(tree, one) && heard(belowOne, one));
      models.speaker("other").sayUntil(() -> heard(tree, other) && heard(ofOther, other));

      assertThat(heard(ofRoot, one) || heard(ofRoot, other)).isFalse();
      assertThat(heard(belowOne, other)).isFalse();
      assertThat(heard(ofOther, one)).isFalse();
    }
    models.speaker("one").end();
    models.speaker("other").end();
    kit.awaitRest(root);
  }

  private SessionId speakingTask(SessionId root, String prompt) {
    return kit.look(kit.submit(root, prompt, Map.of("model", SpeakingModel.NAME))).child();
  }

  private static boolean heard(EventClient client, SessionId session) {
    return !new HeardWords(client, session).deltas().isEmpty();
  }

  private static EventClient follow(SessionId session, String query) {
    return EventClient.follow(Http.uri("/v1/sessions/" + session + "/events" + query));
  }

  private static boolean isAnswered(EventClient client) {
    return client.types().contains("model.ended");
  }
}
