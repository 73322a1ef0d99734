package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Usage;
import dev.errand.model.ModelReply.Ending;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads an answer of the messages API: {@code {"content": [{"type": "text", …}], "stop_reason":
 * "end_turn", "usage": {…}}}, or the events of a stream.
 */
final class AnthropicAnswer implements Consumer<JsonNode> {

  private static final Set<String> TYPE = Set.of("type");

  private final AnswerDraft draft;
  private final ObjectNode usage = JsonNodeFactory.instance.objectNode();

  /** The blocks that parts of a stream continue, by their index. */
  private final Map<Long, AnswerBlock> blocks = new HashMap<>();

  private @Nullable AnswerBlock newest;

  private sealed interface AnswerBlock {
    record TextBlock() implements AnswerBlock {}

    record CallBlock(DraftCall call) implements AnswerBlock {}

    record KeptBlock(ObjectNode fields) implements AnswerBlock {}
  }

  AnthropicAnswer(AnswerDraft draft) {
    this.draft = draft;
  }

  @Override
  public void accept(JsonNode event) {
    switch (Lenient.word(event.path("type"))) {
      case "message_start" -> read(event.path("message"));
      case "content_block_start" -> begin(event.path("content_block"), event.path("index"));
      case "content_block_delta" -> proceed(event.path("delta"), event.path("index"));
      case "message_delta" -> {
        end(event.path("delta"));
        use(event.path("usage"));
      }
      case "message_stop" -> draft.endIfOpen();
      case "ping", "content_block_stop" -> {}
      default -> read(event);
    }
  }

  /** Reads a whole message, or the beginning of one. */
  private void read(JsonNode message) {
    if (message.has("content") || message.has("role")) {
      draft.begin();
    }
    for (var block : Lenient.list(message.path("content"))) {
      begin(block, JsonNodeFactory.instance.missingNode());
    }
    end(message);
    use(message.path("usage"));
  }

  private void begin(JsonNode block, JsonNode index) {
    draft.begin();
    newest = block(block);
    if (!index.isMissingNode()) {
      blocks.put(Lenient.count(index), newest);
    }
  }

  private AnswerBlock block(JsonNode block) {
    var isCall = block.has("type") ? isCall(block) : block.has("name");
    if (!isCall && Lenient.isText(block)) {
      draft.say(Lenient.text(block));
      return new AnswerBlock.TextBlock();
    }
    if (!isCall) {
      return new AnswerBlock.KeptBlock(AnthropicBlocks.keep(block, draft));
    }
    var call = draft.newCall();
    call.identify(Lenient.name(block.path("id")));
    call.call(Lenient.name(block.path("name")));
    call.add(block.path("input"));
    return new AnswerBlock.CallBlock(call);
  }

  private static boolean isCall(JsonNode block) {
    return Lenient.word(block.path("type")).equals("tool_use");
  }

  private void proceed(JsonNode delta, JsonNode index) {
    draft.begin();
    var block = blocks.getOrDefault(Lenient.count(index), newest);
    switch (block) {
      case AnswerBlock.CallBlock call when delta.has("partial_json") ->
          call.call().add(delta.path("partial_json"));
      case AnswerBlock.KeptBlock kept when !delta.has("text") ->
          KeptFields.add(delta, TYPE, kept.fields());
      case null, default -> draft.say(Lenient.text(delta.path("text")));
    }
  }

  /** An answer that ends for a reason that is not known is not complete. */
  private void end(JsonNode message) {
    switch (Lenient.word(message.path("stop_reason"))) {
      case "" -> {}
      case "end_turn", "stop_sequence", "stop" -> draft.end(Ending.COMPLETE);
      case "tool_use" -> draft.endWithCalls();
      case "max_tokens" -> draft.end(Ending.TOKEN_LIMIT);
      default -> draft.end(Ending.STOPPED);
    }
  }

  /** The end of a stream reports what its beginning did not know. */
  private void use(JsonNode reported) {
    reported.properties().stream()
        .filter(field -> Lenient.count(field.getValue()) > 0)
        .forEach(field -> usage.set(field.getKey(), field.getValue()));
    // Cached tokens are not among the input tokens.
    var cached = Lenient.count(usage.path("cache_read_input_tokens"));
    var others =
        Lenient.count(usage.path("input_tokens"))
            + Lenient.count(usage.path("cache_creation_input_tokens"));
    draft.use(new Usage(others + cached, cached, Lenient.count(usage.path("output_tokens"))));
  }
}
