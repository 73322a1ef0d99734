package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Usage;
import dev.errand.model.LanguageModel.ModelReply.Ending;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an answer of the chat completions API: {@code {"choices": [{"message": {…},
 * "finish_reason": "stop"}], "usage": {…}}}, or its chunks, with {@code delta}.
 */
final class OpenAiAnswer implements Consumer<JsonNode> {

  /** What OpenAI itself sends in messages; the rest is kept and sent back. */
  private static final Set<String> MESSAGE =
      Set.of("role", "content", "tool_calls", "function_call", "refusal", "annotations", "audio");

  private static final Set<String> CALL =
      Set.of("id", "type", "index", "function", "name", "arguments");
  private static final Set<String> FUNCTION = Set.of("name", "arguments");

  private final AnswerDraft draft;

  /** The newest call of each index that the server gave. */
  private final Map<Long, DraftCall> newest = new HashMap<>();

  OpenAiAnswer(AnswerDraft draft) {
    this.draft = draft;
  }

  @Override
  public void accept(JsonNode event) {
    // Some servers have only the message of the choice.
    var choice = event.has("choices") ? Lenient.first(event.path("choices")) : event;
    use(event.path("usage"));
    // Moonshot, Groq
    use(choice.path("usage"));
    use(event.at("/x_groq/usage"));
    var delta = choice.path("delta");
    if (delta.isObject() && !delta.isEmpty()) {
      read(delta, false);
    } else if (choice.path("message").isObject()) {
      read(choice.path("message"), true);
    } else if (choice.path("text").isTextual()) {
      draft.begin();
      draft.say(choice.path("text").textValue());
    }
    end(Lenient.word(choice.path("finish_reason")));
  }

  /**
   * @param whole whether it is a message and not a part of one
   */
  private void read(JsonNode message, boolean whole) {
    draft.begin();
    var content = message.path("content");
    keepContent(content);
    if (whole) {
      draft.sayWhole(Lenient.text(content));
    } else {
      draft.say(Lenient.text(content));
    }
    draft.refuse(Lenient.text(message.path("refusal")));
    KeptFields.add(message, MESSAGE, draft.kept());
    var calls = message.path("tool_calls");
    readCalls(calls.isTextual() ? CallArguments.of(calls) : calls, whole);
    readCalls(message.path("function_call"), whole);
  }

  /** A content with thoughts is returned with them. */
  private void keepContent(JsonNode content) {
    var isKept = draft.kept().has("content");
    if (!isKept && isWords(content)) {
      return;
    }
    var list = draft.kept().withArray("/content");
    if (!isKept && !draft.text().isEmpty()) {
      list.add(part(draft.text()));
    }
    for (var part : Lenient.list(content)) {
      KeptFields.extend(list, part.isTextual() ? part(part.textValue()) : part);
    }
  }

  private static boolean isWords(JsonNode content) {
    for (var part : Lenient.list(content)) {
      if (!Lenient.isText(part)) {
        return false;
      }
    }
    return true;
  }

  private static ObjectNode part(String text) {
    return JsonNodeFactory.instance.objectNode().put("type", "text").put("text", text);
  }

  /** Without an index, each element is a call of its own, unless it continues an earlier event. */
  private void readCalls(JsonNode parts, boolean whole) {
    if (!parts.isContainerNode() || parts.isEmpty()) {
      return;
    }
    var before = List.copyOf(draft.calls());
    var isFirst = true;
    for (var part : Lenient.list(parts)) {
      if (!part.isNull()) {
        readCall(part, part.has("index") || (isFirst && !whole) ? null : before);
        isFirst = false;
      }
    }
  }

  /**
   * The name and the arguments may stand in the call itself.
   *
   * @param before null to look for the call by its index, otherwise those that it may continue
   */
  private void readCall(JsonNode part, @Nullable List<DraftCall> before) {
    var function = part.path("function").isObject() ? part.path("function") : part;
    var id = Lenient.name(part.path("id"));
    var name = Lenient.name(function.path("name"));
    var arguments = part.isObject() ? arguments(function) : part;
    var index = Lenient.count(part.path("index"));
    var call =
        before == null
            ? newest.get(index)
            : before.stream().filter(known -> known.isOf(id)).findFirst().orElse(null);
    if (call == null || call.isFollowedBy(id, name, arguments)) {
      call = draft.newCall();
    }
    newest.put(index, call);
    call.identify(id);
    call.call(name);
    call.add(arguments);
    keepFields(part, call.kept());
  }

  private static JsonNode arguments(JsonNode function) {
    return function.has("arguments") ? function.path("arguments") : function.path("parameters");
  }

  private static void keepFields(JsonNode part, ObjectNode kept) {
    KeptFields.add(part, CALL, kept);
    var ofFunction = JsonNodeFactory.instance.objectNode();
    KeptFields.add(part.path("function"), FUNCTION, ofFunction);
    if (!ofFunction.isEmpty()) {
      kept.withObject("/function").setAll(ofFunction);
    }
  }

  private void end(String reason) {
    switch (reason) {
      case "", "null" -> {}
      case "length", "max_tokens", "max_output_tokens", "model_length" ->
          draft.end(Ending.TOKEN_LIMIT);
      case "content_filter", "safety", "recitation", "refusal", "sensitive" ->
          draft.end(Ending.STOPPED);
      case "tool_calls", "tool_call", "tool_use", "function_call" -> draft.endWithCalls();
      // vLLM, SGLang, GLM, DeepSeek
      case "abort", "aborted", "network_error", "insufficient_system_resource" -> draft.interrupt();
      default -> draft.end(Ending.COMPLETE);
    }
  }

  /** In this order: OpenAI, DeepSeek, Moonshot. */
  private void use(JsonNode usage) {
    draft.use(
        new Usage(
            count(usage, "/prompt_tokens", "/input_tokens"),
            count(
                usage,
                "/prompt_tokens_details/cached_tokens",
                "/prompt_cache_hit_tokens",
                "/cached_tokens"),
            count(usage, "/completion_tokens", "/output_tokens")));
  }

  private static long count(JsonNode usage, String... places) {
    return Stream.of(places)
        .mapToLong(place -> Lenient.count(usage.at(place)))
        .filter(count -> count > 0)
        .findFirst()
        .orElse(0);
  }
}
