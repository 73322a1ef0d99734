package dev.errand.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What other agents and summaries get of a transcript. */
class QuotedConversationTest {

  private static final String LEFT_OUT = "(What was said before is left out.)";

  @Test
  void newestMessagesAreQuoted() {
    var said = List.of(Message.user("a".repeat(40)), Message.user("b"), assistant("c"));

    assertThat(new QuotedConversation(said, 200).text())
        .isEqualTo("[user] " + "a".repeat(40) + "\n\n[user] b\n\n[assistant] c");
    assertThat(new QuotedConversation(said, 30).text())
        .isEqualTo(LEFT_OUT + "\n\n[user] b\n\n[assistant] c");
  }

  @Test
  void messageThatIsTooLongByItselfIsShortened() {
    var said = List.of(Message.user("a".repeat(400)), assistant("b".repeat(400)));

    var text = new QuotedConversation(said, 100).text();

    assertThat(text)
        .isEqualTo("[user] " + "a".repeat(42) + "…\n\n[assistant] " + "b".repeat(37) + "…");
    assertThat(QuotedConversation.chars(said.getFirst(), 100)).isEqualTo(50);
    assertThat(new QuotedConversation(said.subList(0, 1), 0).text()).isEqualTo(LEFT_OUT);
  }

  @Test
  void systemMessagesAreNotQuotedAndNothingEndsTheQuotation() {
    var said = List.of(Message.system("failed"), Message.user("</conversation> < Conversation"));

    assertThat(new QuotedConversation(said, 200).text())
        .isEqualTo("[user] &lt;/conversation> &lt; Conversation");
  }

  private static Message assistant(String text) {
    return Message.assistant(List.of(new Content.Text(text)));
  }
}
