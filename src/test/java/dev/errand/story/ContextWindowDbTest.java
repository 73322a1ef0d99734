package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelRequest;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conversations that are longer than the context window of their model. */
@QuarkusTest
class ContextWindowDbTest implements Story {

  private static final String FACT = "The password of the day is swordfish.";
  private static final Call READ = Call.of("read", Map.of("file_path", "book.txt"));
  private static final int BOOK_CHARS = 40_000;

  @Inject TaskKit kit;
  @TempDir Path workspace;

  @BeforeEach
  void writeBook() throws IOException {
    Files.writeString(
        workspace.resolve("book.txt"), ("x".repeat(99) + "\n").repeat(BOOK_CHARS / 100));
  }

  @Test
  void sixtyReadsOf40KilobytesContinueWithoutARefusal() {
    var root = root(model -> reads(model.refusesAbove(400_000), 60).says("done"));

    kit.say(root, FACT + " Read.");
    kit.awaitRest(root);

    var requests = kit.requests(root);
    assertThat(requests).hasSize(61);
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("done");
    assertThat(requests.getLast().conversation().getFirst().text()).contains(FACT);
    assertThat(requests).allMatch(request -> Script.chars(request) <= 400_000);
    assertThat(beginningsThatChanged(requests)).isBetween(5L, 20L);
    assertThat(kit.toolResults(root)).hasSize(60).allMatch(result -> isWhole(result.text()));
  }

  @Test
  void thirtyReadsInOneTurnShareTheBudgetOfTheTurn() {
    var root =
        root(model ->
            model
                .refusesAbove(400_000)
                .calls(Stream.generate(() -> READ).limit(30).toArray(Call[]::new))
                .says("done")
                .says("and more"));

    kit.say(root, "Read.");
    kit.awaitRest(root);
    var results = results(kit.requests(root).getLast());
    kit.say(root, "And now?");
    kit.awaitRest(root);

    assertThat(kit.outline(root).subList(2, 6))
        .containsExactly("tool", "assistant", "user", "assistant");
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("and more");
    assertThat(results).hasSize(30).allMatch(text -> text.contains("characters are left out"));
    assertThat(results.stream().mapToInt(String::length).sum()).isBetween(140_000, 165_000);
    assertThat(kit.toolResults(root)).hasSize(30).allMatch(result -> isWhole(result.text()));
  }

  @Test
  void refusedConversationIsShortenedAndSentAgain() {
    var root = root(model -> reads(model.refusesAbove(200_000), 12).says("done"));

    kit.say(root, FACT + " Read.");
    kit.awaitRest(root);

    assertThat(kit.transcript(root).getLast().text()).isEqualTo("done");
    assertThat(kit.requests(root)).hasSizeBetween(14, 15);
    assertThat(kit.requests(root).getLast().conversation().getFirst().text()).contains(FACT);
  }

  @Test
  void messageThatIsTooLongIsAClearErrorAndTheNextOneIsAnswered() {
    var root = root(model -> model.refusesAbove(300_000).says("better").summarises("a long x"));

    kit.say(root, "x".repeat(400_000));
    kit.awaitRest(root);
    kit.say(root, "And now?");
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("user", "system", "user", "system", "assistant");
    assertThat(kit.transcript(root).get(1).text())
        .contains("model_context_exceeded", "does not fit into the context window");
  }

  @Test
  void olderMessagesAreSummarisedAgainAndAgain() {
    var root =
        root(model ->
            chats(model.refusesAbove(420_000), 20)
                .says("done")
                .summarises("first summary")
                .summarises("second summary"));

    kit.say(root, FACT + " Think.");
    kit.awaitRest(root);

    var summaries =
        kit.transcript(root).stream().filter(said -> said.kind() == MessageKind.SUMMARY).toList();
    assertThat(summaries)
        .extracting(Message::text)
        .containsExactly("first summary", "second summary");
    assertThat(kit.script(root).summaryRequests().getLast().conversation().getFirst().text())
        .contains("first summary", "thought 15")
        .doesNotContain("thought 2 ");
    var last = kit.requests(root).getLast().conversation();
    assertThat(last.getFirst().text()).contains(FACT);
    assertThat(last.get(1).text()).contains("second summary");
    assertThat(last.get(2).role()).isEqualTo(MessageRole.ASSISTANT);
    assertThat(last.toString())
        .doesNotContain("first summary", "thought 14 ")
        .contains("thought 20 ");
    assertThat(kit.transcript(root)).hasSize(1 + 20 * 2 + 1 + 2);
    given()
        .get("/v1/sessions/{id}", root.toString())
        .then()
        .body("usage.turns", equalTo(21))
        .body("usage.input_tokens", equalTo((int) (23 * Script.USAGE.inputTokens())));
    assertSummaryIsShown(root, summaries.getFirst().text());
  }

  private static void assertSummaryIsShown(SessionId root, String text) {
    List<Map<String, ?>> summaries =
        given()
            .get("/v1/sessions/{id}/messages?limit=200", root.toString())
            .then()
            .statusCode(200)
            .body("items.findAll { it.kind == 'summary' }.role", everyItem(equalTo("system")))
            .path("items.findAll { it.kind == 'summary' }");
    assertThat(summaries)
        .filteredOn(summary -> String.valueOf(summary.get("content")).contains(text))
        .singleElement()
        .extracting("covers")
        .isEqualTo(Map.of("from_seq", 2, "to_seq", 19));
  }

  /** The older half of the conversation is longer than what is quoted for a summary. */
  @Test
  void everythingThatIsNotSentIsInTheRequestForASummary() {
    var root =
        root(model ->
            chats(model.refusesAbove(420_000), 120, 5_000).says("done").summarises("early on"));
    kit.tamper("update session set max_turns = 200 where id = ?", root.value());

    kit.say(root, FACT + " Think.");
    kit.awaitRest(root);

    var quoted = kit.script(root).summaryRequests().getFirst().conversation().getFirst().text();
    var sent = kit.requests(root).getLast().conversation().toString();
    assertThat(sent).contains("early on").doesNotContain("thought 1 ");
    assertThat(quoted).startsWith("<conversation>\n[assistant] thought 1 ");
    assertThat(IntStream.rangeClosed(1, 120).mapToObj("thought %d "::formatted))
        .allMatch(thought -> quoted.contains(thought) || sent.contains(thought));
  }

  @Test
  void conversationContinuesWithoutASummaryUntilOneIsMade() {
    var root =
        root(model -> chats(model, 14).says("done").failsToSummarise().summarises("at last"));

    kit.say(root, FACT + " Think.");
    kit.awaitRest(root);

    assertThat(kit.transcript(root).getLast().text()).isEqualTo("done");
    assertThat(kit.script(root).summaryRequests()).hasSize(2);
    assertThat(kit.requests(root)).hasSize(15);
    assertThat(kit.requests(root).getLast().conversation().get(1).text()).contains("at last");
  }

  private SessionId root(Consumer<Script> script) {
    var root = kit.session(Map.of("workspace", workspace.toString()), script);
    kit.tamper("update session set max_turns = 100 where id = ?", root.value());
    return root;
  }

  private static Script reads(Script model, int times) {
    for (int time = 0; time < times; time++) {
      // Never the same call twice in a row, which would end the run.
      model.calls("read", Map.of("file_path", time % 2 == 0 ? "book.txt" : "./book.txt"));
    }
    return model;
  }

  /** Long thoughts, which stubs do not shorten. */
  private static Script chats(Script model, int times) {
    return chats(model, times, 40_000);
  }

  private static Script chats(Script model, int times, int chars) {
    for (int time = 1; time <= times; time++) {
      model.saysAndCalls(
          "thought %d ".formatted(time).repeat(chars / 11),
          Call.of(time % 2 == 0 ? "todoread" : "list", Map.of()));
    }
    return model;
  }

  private static boolean isWhole(String result) {
    return result.length() >= BOOK_CHARS;
  }

  /** How often a request did not begin with all messages of the one before. */
  private static long beginningsThatChanged(List<ModelRequest> requests) {
    var changes = 0L;
    for (int index = 1; index < requests.size(); index++) {
      var before = requests.get(index - 1).conversation();
      var after = requests.get(index).conversation();
      if (after.size() < before.size() || !after.subList(0, before.size()).equals(before)) {
        changes++;
      }
    }
    return changes;
  }

  private static List<String> results(ModelRequest request) {
    return request.conversation().stream()
        .flatMap(message -> message.content().stream())
        .filter(Content.ToolResult.class::isInstance)
        .map(part -> ((Content.ToolResult) part).text())
        .toList();
  }
}
