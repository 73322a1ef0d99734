package dev.errand.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.Usage;
import dev.errand.model.LanguageModel.ModelReply;
import dev.errand.model.LanguageModel.ModelReply.Ending;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.model.anthropic.AnthropicTokenUsage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.openai.OpenAiTokenUsage;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads an answer of langchain4j. */
final class ReplyReader {

  /** Deeper arguments are kept as text, like any that are not an object, and never executed. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(Content.MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** No tool has a longer name, and no provider gives longer ids. */
  private static final int MAX_NAME_CHARS = 200;

  private ReplyReader() {}

  /**
   * @param model that answered, with its provider
   * @throws IllegalArgumentException a tool call is missing or has no name
   * @throws ContentFilteredException the model or its provider refused to answer
   */
  static ModelReply read(ChatResponse response, String model) {
    var text = Optional.ofNullable(response.aiMessage().text()).orElse("");
    var calls = CallMetadata.added(calls(response), response, model);
    var ending = calls.isEmpty() ? ending(response.finishReason(), text) : Ending.COMPLETE;
    return new ModelReply(text, calls, usage(response.tokenUsage()), ending);
  }

  /** The end of an answer without calls. */
  private static Ending ending(@Nullable FinishReason reason, String text) {
    return switch (reason) {
      case TOOL_EXECUTION -> throw new IllegalArgumentException("the tool calls are missing");
      case LENGTH -> Ending.TOKEN_LIMIT;
      case CONTENT_FILTER, OTHER -> {
        if (text.isBlank()) {
          throw new ContentFilteredException("no text");
        }
        yield Ending.STOPPED;
      }
      case STOP -> Ending.COMPLETE;
      case null -> Ending.COMPLETE;
    };
  }

  private static List<Content.ToolCall> calls(ChatResponse response) {
    var calls = new ArrayList<Content.ToolCall>();
    var ids = new HashSet<String>();
    for (var asked : response.aiMessage().toolExecutionRequests()) {
      if (asked.name() == null || asked.name().isBlank()) {
        throw new IllegalArgumentException("a tool call has no name");
      }
      var id = asked.id();
      if (id == null || id.isBlank() || id.length() > MAX_NAME_CHARS || !ids.add(id)) {
        id = "call_" + UUID.randomUUID().toString().replace("-", "");
      }
      var name = TextCut.withEllipsis(asked.name(), MAX_NAME_CHARS);
      calls.add(new Content.ToolCall(id, name, arguments(asked)));
    }
    if (isCut(response) && !calls.isEmpty()) {
      calls.add(cut(calls.removeLast()));
    }
    return calls;
  }

  private static JsonNode arguments(ToolExecutionRequest asked) {
    var text = Optional.ofNullable(asked.arguments()).orElse("");
    if (text.isBlank()) {
      return JsonNodeFactory.instance.objectNode();
    }
    try {
      var arguments = JSON.readTree(text);
      return arguments.isObject() ? arguments : TextNode.valueOf(text);
    } catch (JsonProcessingException malformed) {
      return TextNode.valueOf(text);
    }
  }

  /**
   * Anthropic ends an answer early for other reasons, too, such as a full context window. Of other
   * providers, an unknown reason says nothing.
   */
  private static boolean isCut(ChatResponse response) {
    var reason = response.finishReason();
    return reason == FinishReason.LENGTH
        || reason == FinishReason.CONTENT_FILTER
        || (reason == FinishReason.OTHER && response.tokenUsage() instanceof AnthropicTokenUsage);
  }

  /**
   * The answer was cut in this call. Its arguments may look complete although their end is missing,
   * so they are kept as text, which is never executed.
   */
  private static Content.ToolCall cut(Content.ToolCall call) {
    var text = call.arguments().isTextual() ? call.arguments().asText() : "" + call.arguments();
    return new Content.ToolCall(call.id(), call.name(), TextNode.valueOf(text));
  }

  private static Usage usage(@Nullable TokenUsage usage) {
    if (usage == null) {
      return Usage.NONE;
    }
    var input = count(usage.inputTokenCount());
    var output = count(usage.outputTokenCount());
    return switch (usage) {
      // Anthropic counts cached tokens apart from the others, OpenAI among them.
      case AnthropicTokenUsage apart -> {
        var cached = count(apart.cacheReadInputTokens());
        var written = count(apart.cacheCreationInputTokens());
        yield new Usage(input + cached + written, cached, output);
      }
      case OpenAiTokenUsage among when among.inputTokensDetails() != null ->
          new Usage(input, count(among.inputTokensDetails().cachedTokens()), output);
      default -> new Usage(input, output);
    };
  }

  private static long count(@Nullable Integer tokens) {
    return tokens == null ? 0 : tokens;
  }
}
