package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a message. Stored and sent as
 *
 * <pre>{@code
 * {"type": "text", "text": "…"}
 * {"type": "text", "text": "…", "cut": true}
 * {"type": "tool_call", "id": "call_1", "name": "grep", "arguments": {"pattern": "x"}}
 * {"type": "tool_result", "tool_call_id": "call_1", "text": "…", "is_error": false}
 * }</pre>
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Content.Text.class, name = "text"),
  @JsonSubTypes.Type(value = Content.ToolCall.class, name = "tool_call"),
  @JsonSubTypes.Type(value = Content.ToolResult.class, name = "tool_result")
})
public sealed interface Content {

  /** Objects and arrays that may contain each other in what clients and models send. */
  int MAX_DEPTH = 50;

  /** Returns how many objects and arrays of a value contain each other; 0 for a plain value. */
  static int depth(JsonNode value) {
    if (!value.isContainerNode()) {
      return 0;
    }
    var deepest = 0;
    for (var part : value) {
      deepest = Math.max(deepest, depth(part));
    }
    return deepest + 1;
  }

  /** Returns the value, or its JSON as a text when its depth is too much for some clients. */
  static JsonNode shallow(JsonNode value) {
    return depth(value) > MAX_DEPTH ? TextNode.valueOf(value.toString()) : value;
  }

  private static @Nullable JsonNode sendable(@Nullable JsonNode metadata) {
    return metadata == null || depth(metadata) > MAX_DEPTH ? null : metadata;
  }

  /** Takes the place of a part whose type is unknown. */
  Text UNKNOWN = new Text("(content that this version of the service cannot show)");

  /**
   * A text.
   *
   * @param cut whether the answer ends here because it reached the token limit or its provider
   *     stopped it; written only if so
   * @param metadata what the model needs back with a message that has no calls, see {@link
   *     ToolCall}; written only if there is some
   */
  record Text(
      String text,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean cut,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode metadata)
      implements Content {

    public Text {
      metadata = sendable(metadata);
    }

    public Text(String text) {
      this(text, false, null);
    }
  }

  /**
   * A tool call of the assistant.
   *
   * @param id unique among the calls of its message; generated if the model sent none
   * @param arguments a JSON object; a JSON string with the original text if the model did not send
   *     a JSON object, or one that is nested too deeply
   * @param metadata what the model needs back with the call, or with the message whose first call
   *     it is, such as signatures of its thoughts; of no meaning to others; written only if there
   *     is some
   */
  record ToolCall(
      String id,
      String name,
      JsonNode arguments,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode metadata)
      implements Content {

    public ToolCall {
      arguments = shallow(arguments);
      metadata = sendable(metadata);
    }

    public ToolCall(String id, String name, JsonNode arguments) {
      this(id, name, arguments, null);
    }
  }

  /** The only result of the tool call with this id. */
  record ToolResult(
      @JsonProperty("tool_call_id") String toolCallId,
      String text,
      @JsonProperty("is_error") boolean isError)
      implements Content {}

  /**
   * Replaces the parts that were read as absent, because only a newer version of the service knows
   * their type, by a text that says so.
   */
  static List<Content> known(List<@Nullable Content> read) {
    return read.stream().map(part -> part == null ? UNKNOWN : part).toList();
  }
}
