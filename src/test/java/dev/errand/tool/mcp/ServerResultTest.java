package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolOutcome;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a model reads of the result that a server sends. */
@TestInstance(PER_CLASS)
class ServerResultTest {

  private final McpKit kit = new McpKit();

  @BeforeAll
  void start() {
    kit.running(McpKit.process("odd", OddServer.command("good")));
  }

  @AfterAll
  void stop() {
    kit.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          structured beside a text | {"content":[{"type":"text","text":"1 item, see structured content."}],"structuredContent":{"id":4711,"state":"completed"}} | 1 item, see structured content.¶Structured content: {"id":4711,"state":"completed"}
          structured beside an image | {"content":[{"type":"image","mimeType":"image/png","data":"aGk="}],"structuredContent":{"id":1}} | (image, image/png: not shown)¶Structured content: {"id":1}
          structured in an error | {"isError":true,"content":[{"type":"text","text":"failed"}],"structuredContent":{"code":17}} | ERROR failed¶Structured content: {"code":17}
          structured alone | {"content":[],"structuredContent":{"id":1}} | {"id":1}
          structured without content | {"structuredContent":{"id":1}} | {"id":1}
          structured and empty text | {"content":[{"type":"text","text":" "}],"structuredContent":{"id":1}} | {"id":1}
          the same JSON | {"content":[{"type":"text","text":"{\\"b\\": 2,\\n \\"a\\": [1.0, null]}"}],"structuredContent":{"a":[1,null],"b":2}} | {"b": 2,¶ "a": [1.0, null]}
          the same JSON after words | {"content":[{"type":"text","text":"Found:"},{"type":"text","text":"{\\"id\\":1}"}],"structuredContent":{"id":1}} | Found:¶{"id":1}
          other JSON | {"content":[{"type":"text","text":"{\\"id\\":2}"}],"structuredContent":{"id":1}} | {"id":2}¶Structured content: {"id":1}
          a wrapped text | {"content":[{"type":"text","text":"It is warm."}],"structuredContent":{"result":"It is warm."}} | It is warm.
          a text in a field of another name | {"content":[{"type":"text","text":"apple"}],"structuredContent":{"content":"apple"}} | apple
          a text and another field | {"content":[{"type":"text","text":"apple"}],"structuredContent":{"content":"apple","size":5}} | apple¶Structured content: {"content":"apple","size":5}
          a wrapped number | {"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}} | 5
          a wrapped list | {"content":[{"type":"text","text":"a"},{"type":"text","text":"{\\"b\\":1}"}],"structuredContent":{"result":["a",{"b":1}]}} | a¶{"b":1}
          another wrapped text | {"content":[{"type":"text","text":"1 item"}],"structuredContent":{"result":"It is warm."}} | 1 item¶Structured content: {"result":"It is warm."}
          a structured list | {"content":[{"type":"text","text":"2"}],"structuredContent":[1,2]} | 2¶Structured content: [1,2]
          structured null | {"content":[{"type":"text","text":"x"}],"structuredContent":null} | x
          an endless number | {"content":[{"type":"text","text":"1e400"}],"structuredContent":{"n":1}} | 1e400¶Structured content: {"n":1}
          audio | {"content":[{"type":"audio","mimeType":"audio/wav","data":"aGk="}]} | (audio, audio/wav: not shown)
          an image without a type | {"content":[{"type":"image","data":"aGk="}]} | (image: not shown)
          a link | {"content":[{"type":"resource_link","name":"log","uri":"file:///log","description":"The log","size":7}]} | (resource log: file:///log, The log)
          a link without a name | {"content":[{"type":"resource_link","uri":"file:///log"}]} | (resource: file:///log)
          an embedded text | {"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"text/x","text":"inside"}}]} | inside
          an embedded file | {"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"application/pdf","blob":"aGk="}}]} | (resource x://y, application/pdf: not shown)
          an embedded nothing | {"content":[{"type":"resource","resource":{"uri":"x://y"}}]} | (resource x://y: not shown)
          an embedded nothing at all | {"content":[{"type":"resource"}]} | (resource: not shown)
          an unknown type | {"content":[{"type":"video","uri":"x://v"},{"type":"text","text":"seen"}]} | (content of the unknown type video: {"uri":"x://v"})¶seen
          an unknown type alone | {"content":[{"type":"video"}]} | (content of the unknown type video)
          an unknown type in an error | {"isError":true,"content":[{"type":"json","json":{"a":1}}]} | ERROR (content of the unknown type json: {"json":{"a":1}})
          an unknown type beside structured | {"content":[{"type":"video"}],"structuredContent":{"id":1}} | (content of the unknown type video)¶Structured content: {"id":1}
          no type | {"content":[{"text":"hello"}]} | hello
          neither type nor text | {"content":[{"uri":"x://y"}]} | (content without a type: {"uri":"x://y"})
          annotations and meta | {"_meta":{"a":1},"content":[{"type":"text","text":"x","annotations":{"audience":["robot"],"priority":"high"},"_meta":[]}]} | x
          unknown fields | {"content":[{"type":"text","text":"x","language":"en"}],"resultType":"complete"} | x
          a text that is an object | {"content":[{"type":"text","text":{"a":1}}]} | {"a":1}
          a text that is null | {"content":[{"type":"text","text":null}]} | (no content)
          content that is a text | {"content":"hello"} | hello
          content that is one block | {"content":{"type":"text","text":"hello"}} | hello
          a list of texts | {"content":["a","b"]} | a¶b
          an entry that is null | {"content":[null,{"type":"text","text":"b"}]} | null¶b
          no content | {"content":[]} | (no content)
          nothing | {} | (no content)
          an early version | {"toolResult":{"a":1}} | {"toolResult":{"a":1}}
          an error in words | {"isError":"true","content":[{"type":"text","text":"no"}]} | ERROR no
          """)
  void modelReadsAllOfAResult(String name, String result, String read) {
    assertThat(kit.call("odd_raw", Map.of("result", json(result))))
        .as(name)
        .isEqualTo(outcome(read.replace('¶', '\n')));
  }

  @Test
  void longFieldsOfUnknownContentAreNamed() {
    var block = Map.of("type", "video", "data", "A".repeat(5_000));

    assertThat(
            kit.call("odd_raw", Map.of("result", Map.of("content", new Object[] {block}))).text())
        .isEqualTo(
            "(content of the unknown type video: {\"data\":\"(5000 characters: not shown)\"})");
  }

  @Test
  void oneOddToolSpoilsNoList() {
    try (var loose = new McpKit()) {
      loose.running(McpKit.process("l", OddServer.command("loose")));

      assertThat(loose.toolBox().offered(Permissions.ALL))
          .extracting(ToolDefinition::name)
          .containsExactly(
              "l_hinted",
              "l_list",
              "l_more",
              "l_none",
              "l_null",
              "l_titled",
              "l_true",
              "l_unhinted",
              "l_words");
      assertThat(loose.toolBox().find("l_hinted").orElseThrow().effect())
          .isEqualTo(ToolEffect.PURE);
      assertThat(loose.call("l_true", Map.of("a", 1)).text()).isEqualTo("{\"a\":1}");
    }
  }

  private static ToolOutcome.Done outcome(String read) {
    return read.startsWith("ERROR ")
        ? ToolOutcome.error(read.substring("ERROR ".length()))
        : ToolOutcome.ok(read);
  }

  private static Object json(String text) {
    try {
      return OddServer.JSON.readTree(text);
    } catch (JsonProcessingException malformed) {
      throw new AssertionError(malformed);
    }
  }
}
