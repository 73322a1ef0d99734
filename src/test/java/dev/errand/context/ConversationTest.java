package dev.errand.context;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.Usage;
import dev.errand.session.StoredMessage;
import dev.errand.session.Transcript;
import dev.errand.session.Transcript.Stubs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What of a transcript is sent, and when it is shortened. */
class ConversationTest {

  /** 4,000 characters; stubs from 2,800 on, down to 2,000. */
  private static final ContextLimits LIMITS = new ContextLimits(1000, 1000, 500);

  private final List<StoredMessage> stored = new ArrayList<>();

  @Test
  void resultsOfOneTurnShareTheirBudgetAndShortOnesStayWhole() {
    user("read");
    turn(100, 5000, 300, 2000);

    var results = results(conversation(Stubs.NONE).sent().getLast());

    assertThat(results.get(0)).hasSize(100);
    assertThat(results.get(1)).startsWith("x".repeat(300)).contains("4,700 of 5,000 characters");
    assertThat(results.get(2)).hasSize(300);
    assertThat(results.get(3)).startsWith("x".repeat(300)).contains("1,700 of 2,000 characters");
  }

  @Test
  void oldResultsAreLeftOutDownToHalfOfTheWindowOldestFirst() {
    user("read");
    for (int turn = 0; turn < 7; turn++) {
      turn(500);
    }
    answer("so far");
    user("on");

    var conversation = conversation(Stubs.NONE);
    var tokens = conversation.tokens(0);
    var stubs = conversation.furtherStubs(tokens, 0).orElseThrow();
    conversation.stubbed(stubs);

    assertThat(LIMITS.isHigh(tokens)).isTrue();
    assertThat(stubs).isEqualTo(new Stubs(9, 18));
    assertThat(conversation.tokens(0)).isBetween(400L, LIMITS.low());
    assertThat(results(conversation.sent().get(8)).getFirst())
        .contains("500 characters is left out");
    assertThat(results(conversation.sent().get(10)).getFirst()).hasSize(500);
    assertThat(conversation.sent()).hasSameSizeAs(stored);
  }

  @Test
  void resultsThatTheModelHasNotSeenAreNotLeftOut() {
    user("read");
    turn(800);
    turn(2500);

    var stubs = conversation(Stubs.NONE).furtherStubs(900, 0);

    assertThat(stubs).contains(new Stubs(3, 6));
    assertThat(conversation(stubs.orElseThrow()).furtherStubs(900, 0)).isEmpty();
  }

  @Test
  void boundaryDoesNotMoveForLittleUnlessTheWindowIsAlmostFull() {
    user("read");
    turn(450);
    answer("x".repeat(2600));
    user("on");

    assertThat(conversation(Stubs.NONE).furtherStubs(800, 0)).isEmpty();
    assertThat(conversation(Stubs.NONE).furtherStubs(900, 0)).isPresent();
  }

  @Test
  void shortResultsAreNotReplaced() {
    user("read");
    turn(150);
    turn(10);

    assertThat(conversation(Stubs.NONE).furtherStubs(900, 0)).isEmpty();
  }

  @Test
  void reportedUsageCountsWhenItIsHigherUntilTheConversationIsShortened() {
    user("read");
    turn(400);
    answer(new Usage(600, 10), "done");
    user("x".repeat(40));

    assertThat(conversation(Stubs.NONE).tokens(0)).isEqualTo(620);
    assertThat(conversation(new Stubs(3, 5)).tokens(0)).isLessThan(60);
    assertThat(conversation(new Stubs(3, 4)).tokens(0)).isEqualTo(620);
  }

  @Test
  void usageOfAnAnswerThatTookSeveralCallsDoesNotCount() {
    user("tell");
    answer(new Usage(900, 501), "long");
    user("on");

    assertThat(conversation(Stubs.NONE).tokens(0)).isLessThan(10);
  }

  @Test
  void stubsAreProportionalToTheReportedUsage() {
    user("read");
    for (int turn = 0; turn < 4; turn++) {
      turn(300);
    }
    answer(new Usage(900, 0), "dense");
    user("on");

    var stubs = conversation(Stubs.NONE).furtherStubs(900, 0).orElseThrow();

    assertThat(stubs.toSeq()).isEqualTo(7);
  }

  @Test
  void summaryCoversWholeTurnsBetweenTheFirstRequestAndTheLatestTurns() {
    user("read");
    for (int turn = 0; turn < 6; turn++) {
      turn(300);
    }

    var older = conversation(Stubs.NONE).older().orElseThrow();

    assertThat(older.covers()).isEqualTo(new Covered(2, 9));
    assertThat(older.before()).isEmpty();
    assertThat(older.messages()).hasSize(8);
  }

  /** A turn is quoted with 25 characters for the call and 307 for the result. */
  @Test
  void summaryCoversNoMoreThanItsRequestQuotesAndTheNextOneCoversTheRest() {
    user("read");
    for (int turn = 0; turn < 6; turn++) {
      turn(300);
    }
    var older = conversation(Stubs.NONE).older().orElseThrow();

    assertThat(older.within(4 * 332)).isSameAs(older);
    assertThat(older.within(4 * 332 - 1).covers()).isEqualTo(new Covered(2, 7));
    assertThat(older.within(3 * 332).covers()).isEqualTo(new Covered(2, 7));
    var part = older.within(700);
    assertThat(part.covers()).isEqualTo(new Covered(2, 5));
    assertThat(part.messages()).hasSize(4);
    assertThat(part.quoted(700)).doesNotContain("is left out");
    assertThat(older.within(0).covers()).isEqualTo(new Covered(2, 3));

    summary("early", 2, 5);
    assertThat(conversation(Stubs.NONE).older().orElseThrow().messages())
        .extracting(StoredMessage::seq)
        .startsWith(6L);
  }

  @Test
  void whatTheModelHasNotAnsweredIsNeverSummarised() {
    user("read");
    turn(300);
    turn(300);
    turn(900, 900);

    assertThat(conversation(Stubs.NONE).older().orElseThrow().covers())
        .isEqualTo(new Covered(2, 5));
    answer("done");
    user("x".repeat(900));
    notice("x".repeat(900));
    assertThat(conversation(Stubs.NONE).older().orElseThrow().covers())
        .isEqualTo(new Covered(2, 8));
  }

  @Test
  void requestThatCouldNotBeAnsweredIsSummarisedBeforeTheNextOne() {
    user("x".repeat(3900));
    add(Message.system("too long"), Usage.NONE);
    user("again");

    var older = conversation(Stubs.NONE).older().orElseThrow();

    assertThat(older.covers()).isEqualTo(new Covered(1, 1));
    assertThat(older.messages())
        .extracting(message -> message.message().role())
        .containsExactly(MessageRole.USER);
  }

  @Test
  void littleIsNotWorthASummary() {
    user("read");
    turn(100);
    turn(100);
    turn(3000);

    assertThat(conversation(Stubs.NONE).older()).isEmpty();
  }

  @Test
  void summaryThatFailedIsDueAgainWhenATenthOfTheWindowHasBeenAdded() {
    var conversation = conversation(Stubs.NONE);
    assertThat(conversation.isSummaryDue(849)).isFalse();
    assertThat(conversation.isSummaryDue(850)).isTrue();

    conversation.summaryFailed(900);

    assertThat(conversation.isSummaryDue(999)).isFalse();
    assertThat(conversation.isSummaryDue(1000)).isTrue();
  }

  @Test
  void summaryIsSentInPlaceOfWhatItCoversAndTheNextOneContinuesIt() {
    user("first");
    turn(300);
    answer("done");
    user("second");
    turn(300);
    turn(300);
    summary("early", 2, 5);
    turn(200);

    var sent = conversation(Stubs.NONE).sent();
    assertThat(sent)
        .extracting(Message::role)
        .containsExactly(
            MessageRole.USER,
            MessageRole.USER,
            MessageRole.USER,
            MessageRole.ASSISTANT,
            MessageRole.TOOL,
            MessageRole.ASSISTANT,
            MessageRole.TOOL,
            MessageRole.ASSISTANT,
            MessageRole.TOOL);
    assertThat(sent.get(0).text()).isEqualTo("first");
    assertThat(sent.get(1).text()).contains("Messages 2 to 5", "early");
    assertThat(sent.get(2).text()).isEqualTo("second");

    turn(500);
    var older = conversation(Stubs.NONE).older().orElseThrow();
    assertThat(older.covers()).isEqualTo(new Covered(2, 9));
    assertThat(older.before()).isEqualTo("early");
    assertThat(older.messages()).hasSize(4);

    summary("later", 2, 9);
    assertThat(conversation(Stubs.NONE).sent())
        .extracting(Message::text)
        .startsWith("first")
        .noneMatch(text -> text.contains("early"))
        .anyMatch(text -> text.contains("later"));
  }

  private Conversation conversation(Stubs stubs) {
    var conversation = new Conversation(LIMITS);
    conversation.reload(new Transcript.CurrentTranscript(stored, stubs));
    return conversation;
  }

  private void user(String text) {
    add(Message.user(text), Usage.NONE);
  }

  private void notice(String text) {
    add(Message.notice(text), Usage.NONE);
  }

  private void summary(String text, long from, long to) {
    var covers = new Covered(from, to);
    stored.add(stored(Message.summary(text), Usage.NONE, covers));
  }

  private void answer(String text) {
    answer(Usage.NONE, text);
  }

  private void answer(Usage usage, String text) {
    add(Message.assistant(List.of(new Content.Text(text))), usage);
  }

  /**
   * An assistant message with calls, of another tool than the last one, and results of these
   * lengths.
   */
  private void turn(int... lengths) {
    var tool = "get" + stored.size() % 10;
    var calls =
        IntStream.range(0, lengths.length)
            .<Content>mapToObj(call ->
                new Content.ToolCall("c" + call, tool, JsonNodeFactory.instance.objectNode()))
            .toList();
    add(Message.assistant(calls), Usage.NONE);
    var results =
        IntStream.range(0, lengths.length)
            .mapToObj(call -> new Content.ToolResult("c" + call, "x".repeat(lengths[call]), false))
            .toList();
    add(Message.tool(results), Usage.NONE);
  }

  private void add(Message message, Usage usage) {
    stored.add(stored(message, usage, null));
  }

  private StoredMessage stored(Message message, Usage usage, @Nullable Covered covers) {
    var seq = stored.size() + 1;
    return new StoredMessage(MessageId.next(), seq, message, usage, covers, Instant.EPOCH);
  }

  private static List<String> results(Message message) {
    return message.content().stream().map(part -> ((Content.ToolResult) part).text()).toList();
  }
}
