package dev.errand.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.model.ModelRequest;
import dev.errand.model.ShownRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class OfflinePlannerTest {

  /** For the demo, in which what was sent is kept. */
  @Test
  void requestIsShownLikeThatOfAProvider() throws Exception {
    var arguments = JsonNodeFactory.instance.objectNode().put("pattern", "x");
    var messages =
        List.of(
            Message.user("Find x."),
            Message.assistant(List.of(new Content.ToolCall("call_1", "grep", arguments))),
            Message.tool(List.of(new Content.ToolResult("call_1", "none", false))));
    var tools =
        List.of(new ToolDefinition("grep", "Searches.", JsonNodeFactory.instance.objectNode()));
    var request = new ShownRequest(new ModelRequest("Be brief.", messages, tools));

    new OfflinePlanner().reply(request);

    assertThat(request.bodies())
        .containsExactly(
            new JsonMapper()
                .readTree(
                    """
                    {"model": "planner", "system": "Be brief.",
                     "messages": [
                       {"role": "user", "content": [{"type": "text", "text": "Find x."}]},
                       {"role": "assistant", "content": [
                         {"type": "tool_call", "id": "call_1", "name": "grep", "arguments": {"pattern": "x"}}]},
                       {"role": "tool", "content": [
                         {"type": "tool_result", "tool_call_id": "call_1", "text": "none", "is_error": false}]}],
                     "tools": [{"name": "grep", "title": null, "description": "Searches.", "parameters": {}}]}
                    """));
  }
}
