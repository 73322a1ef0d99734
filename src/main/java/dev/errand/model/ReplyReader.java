package dev.errand.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads a langchain4j answer. */
final class ReplyReader {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private ReplyReader() {}

  /**
   * @throws IllegalArgumentException when a tool call has no name
   */
  static ModelReply read(ChatResponse response) {
    var text = Optional.ofNullable(response.aiMessage().text()).orElse("");
    return new ModelReply(text, calls(response), usage(response.tokenUsage()));
  }

  private static List<Content.ToolCall> calls(ChatResponse response) {
    var calls = new ArrayList<Content.ToolCall>();
    var ids = new HashSet<String>();
    for (var asked : response.aiMessage().toolExecutionRequests()) {
      if (asked.name() == null || asked.name().isBlank()) {
        throw new IllegalArgumentException("a tool call has no name");
      }
      var id = asked.id();
      if (id == null || id.isBlank() || !ids.add(id)) {
        id = "call_" + UUID.randomUUID().toString().replace("-", "");
      }
      calls.add(new Content.ToolCall(id, asked.name(), arguments(asked)));
    }
    if (response.finishReason() == FinishReason.LENGTH && !calls.isEmpty()) {
      calls.add(cut(calls.removeLast()));
    }
    return calls;
  }

  private static JsonNode arguments(ToolExecutionRequest asked) {
    var words = Optional.ofNullable(asked.arguments()).orElse("");
    if (words.isBlank()) {
      return JsonNodeFactory.instance.objectNode();
    }
    try {
      var arguments = JSON.readTree(words);
      return arguments.isObject() ? arguments : TextNode.valueOf(words);
    } catch (JsonProcessingException malformed) {
      return TextNode.valueOf(words);
    }
  }

  /**
   * The answer reached its length limit in this call. Its arguments may look whole and lack their
   * end, so they are kept as words, which are never acted on.
   */
  private static Content.ToolCall cut(Content.ToolCall call) {
    var words = call.arguments().isTextual() ? call.arguments().asText() : "" + call.arguments();
    return new Content.ToolCall(call.id(), call.name(), TextNode.valueOf(words));
  }

  private static Usage usage(@Nullable TokenUsage usage) {
    return usage == null
        ? Usage.NONE
        : new Usage(count(usage.inputTokenCount()), count(usage.outputTokenCount()));
  }

  private static long count(@Nullable Integer tokens) {
    return tokens == null ? 0 : tokens;
  }
}
