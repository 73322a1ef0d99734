package dev.errand.context;

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
import org.junit.jupiter.api.Test;

class RepeatedCallsTest {

  private final List<StoredMessage> conversation = new ArrayList<>();

  RepeatedCallsTest() {
    add(Message.user("dig"));
  }

  @Test
  void anotherResultOrAMessageRestartsTheCount() {
    call("bash", "1", 5);
    call("bash", "2", 5);
    assertThat(new RepeatedCalls(conversation).endRun()).isFalse();

    add(Message.notice("a task ended"));
    call("bash", "2", 5);
    assertThat(new RepeatedCalls(conversation).endRun()).isFalse();

    call("bash", "2", 1);
    assertThat(new RepeatedCalls(conversation).endRun()).isTrue();
  }

  @Test
  void waitingForATaskIsNoRepetition() {
    call("task_output", "it still runs", 9);

    var calls = new RepeatedCalls(conversation);

    assertThat(calls.endRun()).isFalse();
    assertThat(calls.noted()).isEqualTo(conversation);
  }

  @Test
  void waitingInBetweenDoesNotMakeARepetitionAnotherCall() {
    for (int time = 0; time < RepeatedCalls.LIMIT; time++) {
      assertThat(new RepeatedCalls(conversation).endRun()).isFalse();
      call("bash", "1", 1);
      call("task_output", "it still runs", 1);
    }

    assertThat(new RepeatedCalls(conversation).endRun()).isTrue();
  }

  @Test
  void callsOfOneMessageCountOneByOne() {
    var ask = new ArrayList<Content>();
    var results = new ArrayList<Content.ToolResult>();
    for (int index = 0; index < 3; index++) {
      ask.add(asked("call_" + index, "list"));
      results.add(new Content.ToolResult("call_" + index, "a.txt", false));
    }
    add(Message.assistant(ask));
    add(Message.tool(results));

    var noted = new RepeatedCalls(conversation).noted().getLast().message().content();

    assertThat(noted.subList(0, 2)).isEqualTo(List.copyOf(results).subList(0, 2));
    assertThat(((Content.ToolResult) noted.getLast()).text()).contains("3 times in a row");
  }

  private void add(Message message) {
    var id = MessageId.next();
    conversation.add(
        new StoredMessage(id, conversation.size() + 1L, message, Usage.NONE, null, Instant.EPOCH));
  }

  private void call(String tool, String result, int times) {
    for (int time = 0; time < times; time++) {
      add(Message.assistant(List.of(asked("call_1", tool))));
      add(Message.tool(List.of(new Content.ToolResult("call_1", result, false))));
    }
  }

  private static Content asked(String id, String tool) {
    return new Content.ToolCall(id, tool, JsonNodeFactory.instance.objectNode().put("a", 1));
  }
}
