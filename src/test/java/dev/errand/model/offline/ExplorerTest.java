package dev.errand.model.offline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import org.junit.jupiter.api.Test;

/** The planner as explorer. */
class ExplorerTest {

  private static final Files FILES =
      new Files()
          .with(
              "src/main/RetryPolicy.java",
              """
              package http;

              import java.util.Set;

              /** Decides what is tried again. */
              class RetryPolicy {
                private static final Set<Integer> RETRIED = Set.of(408, 429, 502, 503);

                boolean retries(HttpStatus status) {
                  return RETRIED.contains(status.code());
                }
              }
              """)
          .with("src/main/HttpStatus.java", "record HttpStatus(int code) {}\n")
          .with(
              "src/test/RetryPolicyTest.java",
              "class RetryPolicyTest {\n  // decides which HTTP codes are retried\n}\n")
          .with("package-lock.json", "\"retry\": \"http status codes decided\"\n");

  private static final String QUESTION = "Where is it decided which HTTP status codes are retried?";

  @Test
  void searchesForTheStemsOfTheWordsSideBySide() {
    var reply = explorer().hears(Message.user(QUESTION)).turn();

    assertThat(reply.toolCalls()).extracting(Content.ToolCall::name).containsOnly("grep");
    assertThat(reply.toolCalls())
        .extracting(call -> call.arguments().path("pattern").asText())
        .containsExactly("decid", "http", "status", "code", "retr(y|ie)");
    assertThat(reply.toolCalls().getFirst().arguments())
        .hasToString(
            "{\"pattern\":\"decid\",\"case_insensitive\":true,\"output_mode\":\"content\",\"head_limit\":300}");
    assertThat(reply.toolCalls()).extracting(Content.ToolCall::id).doesNotHaveDuplicates();
  }

  @Test
  void readsTheBestPlacesAndReportsThemWithTheLinesAround() {
    var talk = explorer().hears(Message.user(QUESTION));

    talk.turn(FILES::answer);
    var reads = talk.turn(FILES::answer);
    var report = talk.turn();

    assertThat(reads.toolCalls()).hasSizeBetween(1, 5);
    assertThat(reads.toolCalls()).extracting(Content.ToolCall::name).containsOnly("read");
    assertThat(reads.toolCalls().getFirst().arguments().path("file_path").asText())
        .isEqualTo("src/main/RetryPolicy.java");
    assertThat(report.toolCalls()).isEmpty();
    assertThat(Hit.leading(report.text()).getFirst().path()).isEqualTo("src/main/RetryPolicy.java");
    assertThat(report.text())
        .contains(
            "\n      7\t  private static final Set<Integer> RETRIED = Set.of(408, 429, 502, 503);\n")
        .contains("In short: the best match is src/main/RetryPolicy.java, line ");
  }

  @Test
  void filesThatPeopleDoNotWriteComeLast() {
    var talk = explorer().hears(Message.user(QUESTION));

    talk.turn(FILES::answer);
    talk.turn(FILES::answer);

    assertThat(Hit.leading(talk.turn().text()).getLast().path()).isEqualTo("package-lock.json");
  }

  @Test
  void saysTheSameEachTime() {
    assertThat(wholeReport()).isEqualTo(wholeReport());
  }

  @Test
  void saysThatNothingWasFoundAndWhatWasTried() {
    var talk = explorer().hears(Message.user("Where are invoices printed?"));

    talk.turn(FILES::answer);
    var report = talk.turn();

    assertThat(report.text())
        .isEqualTo("Nothing in the workspace matches \"invoices\", \"printed\".");
    assertThat(report.toolCalls()).isEmpty();
  }

  @Test
  void saysWhySearchesFailed() {
    var talk =
        explorer().hears(Message.user("Where are invoices?")).fails("grep is not allowed here");

    assertThat(talk.turn().text())
        .isEqualTo("The search could not be done.\nA search failed: grep is not allowed here");
  }

  @Test
  void aRequestWithoutWordsGetsALookAtTheTree() {
    var talk = explorer().hears(Message.user("What is this?"));

    var look = talk.turn(FILES::answer);

    assertThat(look.toolCalls()).extracting(Content.ToolCall::name).containsExactly("list");
    assertThat(talk.turn().text()).contains("src/main/RetryPolicy.java");
  }

  @Test
  void aClosingTurnReportsWhatIsThere() {
    var talk = explorer().hears(Message.user(QUESTION));
    talk.turn(FILES::answer);

    var closing = talk.hears(Message.user("Sum up now.")).withoutTools().turn();

    assertThat(closing.toolCalls()).isEmpty();
    assertThat(closing.text())
        .contains("match \"decided\", \"HTTP\"")
        .contains("src/main/RetryPolicy.java:7: private static final");
  }

  @Test
  void aNewRequestInTheSameSessionStartsANewSearch() {
    var talk = explorer().hears(Message.user(QUESTION));
    talk.turn(FILES::answer);
    talk.turn(FILES::answer);
    talk.turn();

    var reply = talk.hears(Message.user("And where is HttpStatus?")).turn();

    assertThat(reply.toolCalls())
        .extracting(call -> call.arguments().path("pattern").asText())
        .containsExactly("HttpStatus");
  }

  @Test
  void usageGrowsWithTheTranscript() {
    var talk = explorer().hears(Message.user(QUESTION));

    var first = talk.turn(FILES::answer).usage();
    var second = talk.turn(FILES::answer).usage();

    assertThat(first.inputTokens()).isPositive();
    assertThat(first.outputTokens()).isPositive();
    assertThat(second.inputTokens()).isGreaterThan(first.inputTokens());
  }

  private static String wholeReport() {
    var talk = explorer().hears(Message.user(QUESTION));
    talk.turn(FILES::answer);
    talk.turn(FILES::answer);
    return talk.turn().text();
  }

  private static Talk explorer() {
    return new Talk("grep", "read", "list", "glob");
  }
}
