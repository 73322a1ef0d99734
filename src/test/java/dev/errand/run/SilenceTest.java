package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.Usage;
import dev.errand.session.StoredMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of the words of an agent since a request. */
class SilenceTest {

  /**
   * A transcript is written as its messages, separated by spaces: the text of the agent, with a
   * hyphen for an empty one, and {@code +tool} for a call; its result follows in the transcript.
   * {@code *} is a message of another author.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    // transcript, silent, asked, answered, words
    "'', false, false, false, ''",
    "-, true, false, false, ''",
    "gold, false, false, true, gold",
    "- -, true, true, false, ''",
    "- gold, false, false, true, gold",
    "- * -, true, false, false, ''",
    "- - * -, true, false, false, ''",
    "- - * - -, true, true, false, ''",
    "-+list, false, false, false, ''",
    "-+list -, true, false, false, ''",
    "-+list - -, true, true, false, ''",
    "-+list - gold, false, false, true, gold",
    "dig+list, false, false, false, dig",
    "dig+list -, true, false, false, dig",
    "dig+list - -, true, true, false, dig",
    "dig+list gold, false, false, true, dig|gold",
    "dig+list on+list -, true, false, false, dig|on",
    "dig+list dig+list - -, true, true, false, dig",
    "dig+list -+list -, true, false, false, dig",
    "-+list -+list -, true, false, false, ''",
    "wait * -, true, false, true, wait",
    "wait * - -, true, true, true, wait",
    "wait * dig+list - -, true, true, true, wait|dig",
    "- * gold, false, false, true, gold",
    "- -+list -, true, false, false, ''",
    "-+message -, true, false, true, ''",
    "dig+message -, true, false, true, dig",
    "-+message -+list -, true, false, false, ''",
    "-+list -+message -, true, false, true, ''",
    "-+message - -, true, true, true, ''",
    "dig+list on+list gold * -, true, false, true, dig|on|gold",
    "gold * - * - -, true, true, true, gold"
  })
  void answersAreJudgedByTheTranscript(
      String transcript, boolean silent, boolean asked, boolean answered, String words) {
    var silence = new Silence(said(transcript));

    assertThat(silence.isSilent()).as("silent").isEqualTo(silent);
    assertThat(silence.wasAsked()).as("asked").isEqualTo(asked);
    assertThat(silence.isAnswered()).as("answered").isEqualTo(answered);
    assertThat(silence.words()).isEqualTo(words.replace("|", "\n\n"));
  }

  private static List<StoredMessage> said(String transcript) {
    var said = new ArrayList<StoredMessage>();
    var seq = 1;
    for (var word : transcript.isEmpty() ? new String[0] : transcript.split(" ")) {
      seq++;
      if (!word.equals("*")) {
        var parts = word.split("\\+");
        said.add(stored(seq, content(parts)));
        seq += parts.length - 1;
      }
    }
    return said;
  }

  private static List<Content> content(String[] parts) {
    var content = new ArrayList<Content>();
    content.add(new Content.Text(parts[0].equals("-") ? "\u00A0\uFEFF" : parts[0]));
    if (parts.length > 1) {
      content.add(new Content.ToolCall("call_1", parts[1], JsonNodeFactory.instance.objectNode()));
    }
    return content;
  }

  private static StoredMessage stored(int seq, List<Content> content) {
    return new StoredMessage(
        MessageId.next(), seq, Message.assistant(content), Usage.NONE, null, Instant.EPOCH);
  }
}
