package dev.errand.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import org.junit.jupiter.api.Test;

/** The planner as a primary agent. */
class PrimaryPlanTest {

  private static final String ACCEPTED =
      """
      Started. A notice will follow.
      <task_metadata>
      session_id: ses_1
      status: accepted
      </task_metadata>\
      """;

  private static final String NOTICE =
      """
      <task_notice>
      One of your background tasks has completed.
      Task: find failed logins
      Result:
      <task_result>
      3 lines in 2 files match "login"; the most relevant places first:
      src/Login.java:12: if (failed) {
      src/Login.java:30: fail();
      web/login.ts:4: const failed = 1;

      From src/Login.java:
         11\t// src/Other.java:1
         12\tif (failed) {
      </task_result>
      </task_notice>
      """;

  private static final String FAILURE =
      """
      <task_notice>
      One of your background tasks has ended without completing: failed.
      Error: the model is unreachable
      </task_notice>
      """;

  @Test
  void requestIsDelegatedToAnExplorerInTheBackground() {
    var reply = primary().hears(Message.user("Where are failed logins counted?")).turn();

    assertThat(reply.text()).isNotBlank();
    assertThat(reply.toolCalls()).extracting(Content.ToolCall::name).containsExactly("task");
    assertThat(reply.toolCalls().getFirst().arguments())
        .hasToString(
            "{\"description\":\"failed login counted\","
                + "\"prompt\":\"Where are failed logins counted?\","
                + "\"subagent_type\":\"explore\",\"background\":true}");
  }

  @Test
  void requestWithoutSearchTermsIsDelegatedToo() {
    var reply = primary().hears(Message.user("What is this?")).turn();

    assertThat(reply.toolCalls().getFirst().arguments().path("description").asText())
        .isEqualTo("look around the workspace");
  }

  @Test
  void acceptedTaskIsReportedToTheUser() {
    var talk = primary().hears(Message.user("Where are failed logins counted?"));
    talk.turn(_ -> ACCEPTED);

    var reply = talk.turn();

    assertThat(reply.toolCalls()).isEmpty();
    assertThat(reply.text()).contains("background").contains("answer follows");
  }

  @Test
  void refusedTaskIsReportedWithItsReason() {
    var talk = primary().hears(Message.user("Where are logins?")).fails("depth limit is 5");

    assertThat(talk.turn().text())
        .isEqualTo("The request could not be delegated: depth limit is 5");
  }

  @Test
  void noticeIsSummedUpWithItsPlaces() {
    assertThat(delegated().hears(Message.notice(NOTICE)).turn().text())
        .isEqualTo(
            """
            Found 3 places in 2 files:
            - src/Login.java:12: if (failed) {
            - src/Login.java:30: fail();
            - web/login.ts:4: const failed = 1;\
            """);
  }

  @Test
  void noticeOfAFailureIsReportedWithItsReason() {
    var text = "The search failed: the model is unreachable.";

    assertThat(delegated().hears(Message.notice(FAILURE)).turn().text()).isEqualTo(text);
  }

  @Test
  void noticeOfATimeOutKeepsWhatWasFound() {
    var notice =
        "A background task ended.\n"
            + "Error: timed out\n"
            + "<task_result>\n"
            + "src/A.java:1: class A {}\n"
            + "</task_result>";

    assertThat(delegated().hears(Message.notice(notice)).turn().text())
        .isEqualTo(
            "The search failed: timed out. Found 1 place in 1 file:\n- src/A.java:1: class A {}");
  }

  @Test
  void resultWithoutPlacesIsPassedOn() {
    var notice =
        "A background task completed.\n"
            + "<task_result>\n"
            + "Nothing in the workspace matches \"x\".\n"
            + "</task_result>";

    assertThat(delegated().hears(Message.notice(notice)).turn().text())
        .isEqualTo("Nothing in the workspace matches \"x\".");
  }

  @Test
  void noticeOfAnotherFormIsPassedOn() {
    assertThat(delegated().hears(Message.notice("The task is done: 42.")).turn().text())
        .isEqualTo("The task is done: 42.");
  }

  @Test
  void noticeAndNewRequestAreBothAnswered() {
    var reply =
        delegated().hears(Message.notice(NOTICE), Message.user("And where is the logout?")).turn();

    assertThat(reply.text()).startsWith("Found 3 places in 2 files:");
    assertThat(reply.toolCalls().getFirst().arguments().path("prompt").asText())
        .isEqualTo("And where is the logout?");
    assertThat(reply.toolCalls().getFirst().arguments().path("description").asText())
        .isEqualTo("look for logout");
  }

  @Test
  void severalNoticesAreSummedUpInTheirOrder() {
    assertThat(delegated().hears(Message.notice(FAILURE), Message.notice(NOTICE)).turn().text())
        .containsSubsequence("unreachable", "Found 3 places");
  }

  @Test
  void closingTurnSumsUpTheNotices() {
    var closing = delegated().hears(Message.notice(NOTICE)).withoutTools().turn();

    assertThat(closing.toolCalls()).isEmpty();
    assertThat(closing.text()).startsWith("Found 3 places in 2 files:");
  }

  private static PlannerConversation delegated() {
    var talk = primary().hears(Message.user("Where are failed logins counted?"));
    talk.turn(_ -> ACCEPTED);
    talk.turn();
    return talk;
  }

  private static PlannerConversation primary() {
    return new PlannerConversation("task", "task_output", "grep", "read");
  }
}
