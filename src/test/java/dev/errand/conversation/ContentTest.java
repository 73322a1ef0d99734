package dev.errand.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stored transcripts have this format: a change makes old ones unreadable. */
class ContentTest {

  private static final TypeReference<List<Content>> LIST = new TypeReference<>() {};

  private final ObjectMapper mapper = new ObjectMapper();

  @Test
  void storedFormatOfEachPartIsFixed() throws JsonProcessingException {
    var arguments = JsonNodeFactory.instance.objectNode().put("pattern", "x");
    List<Content> parts =
        List.of(
            new Content.Text("hello"),
            new Content.Text("hel", true, null),
            new Content.ToolCall("call_1", "grep", arguments),
            new Content.ToolCall("call_2", "grep", arguments, arguments),
            new Content.ToolResult("call_1", "found", false));

    var json = mapper.writerFor(LIST).writeValueAsString(parts);

    assertThat(mapper.readTree(json))
        .isEqualTo(
            mapper.readTree(
                """
                [{"type": "text", "text": "hello"},
                 {"type": "text", "text": "hel", "cut": true},
                 {"type": "tool_call", "id": "call_1", "name": "grep", "arguments": {"pattern": "x"}},
                 {"type": "tool_call", "id": "call_2", "name": "grep", "arguments": {"pattern": "x"},
                  "metadata": {"pattern": "x"}},
                 {"type": "tool_result", "tool_call_id": "call_1", "text": "found", "is_error": false}]
                """));
    assertThat(mapper.readValue(json, LIST)).isEqualTo(parts);
  }
}
