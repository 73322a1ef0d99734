package dev.errand.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.demo.Findings.Hit;
import org.junit.jupiter.api.Test;

/** The planner as an explorer. */
class ExplorePlanTest {

  private static final FakeWorkspace WORKSPACE =
      new FakeWorkspace()
          .with(
              "src/main/RetryPolicy.java",
              """
              package http;

              import java.util.Set;

              /** It is decided here which status codes are retried. */
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
  void searchesForAllTermsOfTheRequestInParallel() {
    var reply = explorer().hears(Message.user(QUESTION)).turn();

    assertThat(reply.toolCalls()).extracting(Content.ToolCall::name).containsOnly("grep");
    assertThat(reply.toolCalls())
        .extracting(call -> call.arguments().path("pattern").asText())
        .containsExactly("decided", "HTTP", "status", "code", "retried");
    assertThat(reply.toolCalls().getFirst().arguments())
        .hasToString(
            "{\"pattern\":\"decided\",\"case_insensitive\":true,\"output_mode\":\"content\",\"head_limit\":300}");
    assertThat(reply.toolCalls()).extracting(Content.ToolCall::id).doesNotHaveDuplicates();
  }

  @Test
  void readsTheBestPlacesAndReportsThemWithTheLinesAround() {
    var talk = explorer().hears(Message.user(QUESTION));

    talk.turn(WORKSPACE::answer);
    var reads = talk.turn(WORKSPACE::answer);
    var report = talk.turn();

    assertThat(reads.toolCalls()).hasSizeBetween(1, 5);
    assertThat(reads.toolCalls()).extracting(Content.ToolCall::name).containsOnly("read");
    assertThat(reads.toolCalls().getFirst().arguments().path("file_path").asText())
        .isEqualTo("src/main/RetryPolicy.java");
    assertThat(report.toolCalls()).isEmpty();
    assertThat(Hit.leading(report.text()).getFirst().path()).isEqualTo("src/main/RetryPolicy.java");
    assertThat(report.text())
        .contains("match \"decided\", \"HTTP\"")
        .contains("\nFrom src/main/RetryPolicy.java:\n")
        .contains(
            "\n    7\t  private static final Set<Integer> RETRIED = Set.of(408, 429, 502, 503);\n");
  }

  @Test
  void generatedFilesComeLast() {
    var talk = explorer().hears(Message.user(QUESTION));

    talk.turn(WORKSPACE::answer);
    talk.turn(WORKSPACE::answer);

    assertThat(Hit.leading(talk.turn().text()).getLast().path()).isEqualTo("package-lock.json");
  }

  @Test
  void reportIsTheSameEachTime() {
    assertThat(wholeReport()).isEqualTo(wholeReport());
  }

  @Test
  void reportsThatNothingWasFoundAndWhatWasSearchedFor() {
    var talk = explorer().hears(Message.user("Where are invoices printed?"));

    talk.turn(WORKSPACE::answer);
    var report = talk.turn();

    assertThat(report.text())
        .isEqualTo("Nothing in the workspace matches \"invoice\", \"printed\".");
    assertThat(report.toolCalls()).isEmpty();
  }

  @Test
  void reportsWhySearchesFailed() {
    var talk =
        explorer().hears(Message.user("Where are invoices?")).fails("grep is not allowed here");

    assertThat(talk.turn().text()).isEqualTo("grep failed: grep is not allowed here");
  }

  @Test
  void requestWithoutTermsListsTheWorkspace() {
    var talk = explorer().hears(Message.user("What is this?"));

    var look = talk.turn(WORKSPACE::answer);

    assertThat(look.toolCalls()).extracting(Content.ToolCall::name).containsExactly("list");
    assertThat(talk.turn().text()).contains("src/main/RetryPolicy.java");
  }

  @Test
  void identifiersWithDotsAreSearchedForLiterally() {
    var talk = explorer().hears(Message.user("Who reads application.properties?"));

    var search = talk.turn(WORKSPACE::answer);

    assertThat(search.toolCalls())
        .extracting(call -> call.arguments().path("pattern").asText())
        .contains("application\\.properties");
    assertThat(talk.turn().text()).contains("\"application.properties\"");
  }

  @Test
  void closingTurnReportsWhatIsKnown() {
    var talk = explorer().hears(Message.user(QUESTION));
    talk.turn(WORKSPACE::answer);

    var closing = talk.hears(Message.user("Sum up now.")).withoutTools().turn();

    assertThat(closing.toolCalls()).isEmpty();
    assertThat(closing.text())
        .contains("match \"decided\", \"HTTP\"")
        .contains("src/main/RetryPolicy.java:5: /** It is decided here");
  }

  @Test
  void newRequestInTheSameSessionStartsANewSearch() {
    var talk = explorer().hears(Message.user(QUESTION));
    talk.turn(WORKSPACE::answer);
    talk.turn(WORKSPACE::answer);
    talk.turn();

    var reply = talk.hears(Message.user("And where is HttpStatus?")).turn();

    assertThat(reply.toolCalls())
        .extracting(call -> call.arguments().path("pattern").asText())
        .containsExactly("HttpStatus");
  }

  @Test
  void messagesForPeopleAreLeftOut() {
    var talk = explorer().hears(Message.user("Where is HttpStatus?"));
    talk.turn(WORKSPACE::answer);

    var reply = talk.hears(Message.system("The worker was lost.")).turn();

    assertThat(reply.toolCalls()).extracting(Content.ToolCall::name).containsOnly("read");
  }

  @Test
  void usageGrowsWithTheTranscript() {
    var talk = explorer().hears(Message.user(QUESTION));

    var first = talk.turn(WORKSPACE::answer).usage();
    var second = talk.turn(WORKSPACE::answer).usage();

    assertThat(first.inputTokens()).isPositive();
    assertThat(first.outputTokens()).isPositive();
    assertThat(second.inputTokens()).isGreaterThan(first.inputTokens());
  }

  private static String wholeReport() {
    var talk = explorer().hears(Message.user(QUESTION));
    talk.turn(WORKSPACE::answer);
    talk.turn(WORKSPACE::answer);
    return talk.turn().text();
  }

  private static PlannerConversation explorer() {
    return new PlannerConversation("grep", "read", "list", "glob");
  }
}
