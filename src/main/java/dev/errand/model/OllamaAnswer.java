package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Usage;
import dev.errand.model.ModelReply.Ending;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads an answer of Ollama's chat API: {@code {"message": {"content": "…", "tool_calls": […]},
 * "done": true, "done_reason": "stop"}}, or several such objects that continue each other.
 */
final class OllamaAnswer implements Consumer<JsonNode> {

  private static final Set<String> MESSAGE = Set.of("role", "content", "tool_calls");
  private static final Set<String> CALL = Set.of("id", "type", "index", "function");

  private final AnswerDraft draft;

  OllamaAnswer(AnswerDraft draft) {
    this.draft = draft;
  }

  @Override
  public void accept(JsonNode event) {
    var message = event.path("message");
    if (message.isObject()) {
      draft.begin();
      draft.say(Lenient.text(message.path("content")));
      KeptFields.add(message, MESSAGE, draft.kept());
      Lenient.list(message.path("tool_calls")).forEach(this::readCall);
    }
    draft.use(
        new Usage(
            Lenient.count(event.path("prompt_eval_count")),
            Lenient.count(event.path("eval_count"))));
    if (Lenient.isTrue(event.path("done"))) {
      end(Lenient.word(event.path("done_reason")));
    } else if (event.has("done")) {
      draft.expectMore();
    }
  }

  /** A call always arrives whole. */
  private void readCall(JsonNode part) {
    if (part.isNull()) {
      return;
    }
    var function = part.path("function").isObject() ? part.path("function") : part;
    var call = draft.newCall();
    call.identify(Lenient.name(part.path("id")));
    call.call(Lenient.name(function.path("name")));
    call.add(function.has("arguments") ? function.path("arguments") : function.path("parameters"));
    KeptFields.add(part, CALL, call.kept());
  }

  private void end(String reason) {
    draft.end(reason.equals("length") ? Ending.TOKEN_LIMIT : Ending.COMPLETE);
  }
}
