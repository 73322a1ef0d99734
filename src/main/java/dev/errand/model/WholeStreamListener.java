package dev.errand.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.ModelException.Code;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEvent;
import dev.langchain4j.http.client.sse.ServerSentEventContext;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Lets a stream through to langchain4j and sees to it that it is whole: langchain4j's parsers log
 * and forget what goes wrong in an event, and take a stream that just ends for a finished one.
 * Knows the last event of each provider.
 */
final class WholeStreamListener implements ServerSentEventListener {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String DONE = "[DONE]";

  private final Endpoint endpoint;
  private final ServerSentEventListener target;
  private boolean sawEnd;
  private int calls;
  private @Nullable RuntimeException fault;

  WholeStreamListener(Endpoint endpoint, ServerSentEventListener target) {
    this.endpoint = endpoint;
    this.target = target;
  }

  @Override
  public void onOpen(SuccessfulHttpResponse response) {
    target.onOpen(response);
  }

  @Override
  public void onEvent(ServerSentEvent event, ServerSentEventContext context) {
    try {
      target.onEvent(checked(event), context);
    } catch (RuntimeException broken) {
      onError(broken);
      context.parsingHandle().cancel();
    }
  }

  @Override
  public void onError(Throwable broken) {
    fault =
        broken instanceof ModelException known
            ? known
            : endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent a stream we cannot read.", broken);
  }

  /**
   * The stream is over.
   *
   * @throws ModelException when it was not whole
   */
  @Override
  public void onClose() {
    if (fault != null) {
      throw fault;
    }
    if (!sawEnd) {
      throw endpoint.fault(
          Code.MODEL_BAD_RESPONSE, "ended its stream before the answer was whole.");
    }
    target.onClose();
  }

  private ServerSentEvent checked(ServerSentEvent event) {
    if (event.data().equals(DONE)) {
      sawEnd = true;
      return event;
    }
    var json = parse(event.data());
    if (json.hasNonNull("error")) {
      throw Refusal.read(endpoint, json.path("error"));
    }
    sawEnd |= isLast(json);
    numberCalls(json.at("/message/tool_calls"));
    return new ServerSentEvent(event.event(), json.toString());
  }

  private JsonNode parse(String data) {
    try {
      return JSON.readTree(data);
    } catch (JsonProcessingException garbage) {
      throw endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent an event that is no JSON.", garbage);
    }
  }

  /** In this order: OpenAI (where {@code [DONE]} or nothing may follow), Anthropic, Ollama. */
  private static boolean isLast(JsonNode event) {
    return event.at("/choices/0/finish_reason").isTextual()
        || event.path("type").asText().equals("message_stop")
        || event.path("done").asBoolean();
  }

  /**
   * Ollama sends each call whole, but older ones without an index, and langchain4j would glue calls
   * of the same index into one.
   */
  private void numberCalls(JsonNode ollamaCalls) {
    for (var call : ollamaCalls) {
      if (call.path("function") instanceof ObjectNode function) {
        function.put("index", calls++);
      }
    }
  }
}
