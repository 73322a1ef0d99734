package dev.errand.model.offline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import org.junit.jupiter.api.Test;

/** The planner as primary. */
class PrimaryTest {

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
      A background task completed.
      Description: find failed logins
      Result:
      3 lines in 2 files match "login"; the most telling places first:

      src/Login.java:12: if (failed) {
           11\t// src/Other.java:1
           12\tif (failed) {

      src/Login.java:30: fail();
      web/login.ts:4: const failed = 1;
      In short: the best match is src/Login.java, line 12.
      """;

  @Test
  void aRequestIsDelegatedToAnExplorerInTheBackground() {
    var reply = primary().hears(Message.user("Where are failed logins counted?")).turn();

    assertThat(reply.text()).isNotBlank();
    assertThat(reply.toolCalls()).extracting(Content.ToolCall::name).containsExactly("task");
    assertThat(reply.toolCalls().getFirst().arguments())
        .hasToString(
            "{\"description\":\"failed logins counted\","
                + "\"prompt\":\"Where are failed logins counted?\","
                + "\"subagent_type\":\"explore\",\"background\":true}");
  }

  @Test
  void anAcceptedTaskIsToldToTheUser() {
    var talk = primary().hears(Message.user("Where are failed logins counted?"));
    talk.turn(_ -> ACCEPTED);

    var reply = talk.turn();

    assertThat(reply.toolCalls()).isEmpty();
    assertThat(reply.text()).contains("background").contains("answer follows");
  }

  @Test
  void aRefusedTaskIsToldWithItsReason() {
    var talk = primary().hears(Message.user("Where are logins?")).fails("depth limit is 5");

    assertThat(talk.turn().text())
        .isEqualTo("The request could not be delegated: depth limit is 5");
  }

  @Test
  void aNoticeIsSummedUpWithItsPlaces() {
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
  void aNoticeOfFailureIsToldPlainlyWithItsReason() {
    var notice = "A background task failed.\nDescription: find it\nError: the model is unreachable";

    assertThat(delegated().hears(Message.notice(notice)).turn().text())
        .isEqualTo("The search came to no result: it failed. The reason: the model is unreachable");
  }

  @Test
  void aNoticeOfATimeOutKeepsWhatWasFound() {
    var notice = "A background task timed out.\nResult:\nsrc/A.java:1: class A {}";

    assertThat(delegated().hears(Message.notice(notice)).turn().text())
        .isEqualTo(
            "The search timed out; until then it had found 1 place in 1 file:\n- src/A.java:1: class A {}");
  }

  @Test
  void aNoticeWithoutPlacesIsPassedOn() {
    var notice = "A background task completed.\nResult:\nNothing in the workspace matches \"x\".";

    assertThat(delegated().hears(Message.notice(notice)).turn().text())
        .isEqualTo("Nothing in the workspace matches \"x\".");
  }

  @Test
  void aNoticeAndANewRequestAreBothAnswered() {
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
    var failed = "A background task failed.\nError: no disk";

    assertThat(delegated().hears(Message.notice(failed), Message.notice(NOTICE)).turn().text())
        .containsSubsequence("no disk", "Found 3 places");
  }

  @Test
  void aClosingTurnSumsUpTheNotices() {
    var closing = delegated().hears(Message.notice(NOTICE)).withoutTools().turn();

    assertThat(closing.toolCalls()).isEmpty();
    assertThat(closing.text()).startsWith("Found 3 places in 2 files:");
  }

  private static Talk delegated() {
    var talk = primary().hears(Message.user("Where are failed logins counted?"));
    talk.turn(_ -> ACCEPTED);
    talk.turn();
    return talk;
  }

  private static Talk primary() {
    return new Talk("task", "task_output", "grep", "read");
  }
}
