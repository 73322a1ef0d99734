package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Usage;
import dev.errand.model.ModelReply.Ending;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Reads an answer of the chat completions API: {@code {"choices": [{"message": {…},
 * "finish_reason": "stop"}], "usage": {…}}}, or its chunks, with {@code delta}.
 */
final class OpenAiAnswer implements Consumer<JsonNode> {

  /** What OpenAI itself sends in messages; the rest is kept and sent back. */
  private static final Set<String> MESSAGE =
      Set.of("role", "content", "tool_calls", "function_call", "refusal", "annotations", "audio");

  private final AnswerDraft draft;
  private final OpenAiCalls calls;

  /** The choice whose words are read; negative before there are any. */
  private long speaker = -1;

  OpenAiAnswer(AnswerDraft draft) {
    this.draft = draft;
    this.calls = new OpenAiCalls(draft);
  }

  @Override
  public void accept(JsonNode event) {
    use(event.path("usage"));
    use(event.at("/x_groq/usage"));
    // Some servers have only the message of the choice.
    var choices = event.has("choices") ? Lenient.list(event.path("choices")) : List.of(event);
    var place = 0;
    for (var choice : choices) {
      readChoice(choice, choice.has("index") ? Lenient.count(choice.path("index")) : place);
      place++;
    }
  }

  private void readChoice(JsonNode choice, long place) {
    // Moonshot
    use(choice.path("usage"));
    var delta = choice.path("delta");
    if (delta.isObject() && !delta.isEmpty()) {
      read(delta, place, false);
    } else if (choice.path("message").isObject()) {
      read(choice.path("message"), place, true);
    } else if (choice.path("text").isTextual()) {
      draft.begin();
      draft.say(choice.path("text").textValue());
    }
    end(Lenient.word(choice.path("finish_reason")));
  }

  /**
   * @param whole whether it is a message and not a part of one
   */
  private void read(JsonNode message, long choice, boolean whole) {
    draft.begin();
    if (isOfSpeaker(message, choice)) {
      var content = message.path("content");
      keepContent(content);
      if (whole) {
        draft.sayWhole(Lenient.text(content));
      } else {
        draft.say(Lenient.text(content));
      }
    }
    draft.refuse(Lenient.text(message.path("refusal")));
    KeptFields.add(message, MESSAGE, draft.kept());
    var called = message.path("tool_calls");
    calls.read(called.isTextual() ? CallArguments.of(called) : called, whole);
    calls.read(message.path("function_call"), whole);
  }

  /** One choice is asked for. GitHub Copilot puts the calls of an answer into a second one. */
  private boolean isOfSpeaker(JsonNode message, long choice) {
    if (speaker < 0 && !Lenient.text(message.path("content")).isEmpty()) {
      speaker = choice;
    }
    return speaker < 0 || speaker == choice;
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

  /** Reads the usage of, in this order, OpenAI, DeepSeek and Moonshot. */
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
