package dev.errand.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.model.ModelException.Code;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEvent;
import dev.langchain4j.http.client.sse.ServerSentEventContext;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import java.net.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Passes a stream on to langchain4j and checks that it is complete: the parsers of langchain4j only
 * log errors in events, and accept a stream that ends too early. Knows the last event of each
 * provider.
 */
final class WholeStreamListener implements ServerSentEventListener {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String DONE = "[DONE]";

  private final Endpoint endpoint;
  private final HttpHeaders headers;
  private final ServerSentEventListener target;
  private final StreamedCalls calls = new StreamedCalls();
  private boolean begun;
  private boolean sawEnd;
  private @Nullable RuntimeException fault;

  WholeStreamListener(Endpoint endpoint, HttpHeaders headers, ServerSentEventListener target) {
    this.endpoint = endpoint;
    this.headers = headers;
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
            : endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent a stream that cannot be read.", broken);
  }

  /**
   * The stream has ended.
   *
   * @throws ModelException the stream is not complete
   */
  @Override
  public void onClose() {
    if (fault != null) {
      throw fault;
    }
    if (!sawEnd) {
      throw begun
          ? endpoint.fault(
              Code.MODEL_UNREACHABLE, "ended its stream before the answer was complete.")
          : endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent a stream without an answer.");
    }
    target.onClose();
  }

  private ServerSentEvent checked(ServerSentEvent event) {
    if (event.data().equals(DONE)) {
      sawEnd = true;
      return event;
    }
    var json = parse(event.data());
    Refusal.in(endpoint, headers, json)
        .ifPresent(fault -> {
          throw fault;
        });
    var refusal = json.at("/choices/0/delta/refusal");
    if (refusal.isTextual() && !refusal.asText().isBlank()) {
      throw endpoint.fault(Code.MODEL_REJECTED_REQUEST, "refused to answer.");
    }
    begun |= json.at("/choices/0").isObject() || json.has("type") || json.has("message");
    sawEnd |= isLast(json);
    calls.number(json);
    return new ServerSentEvent(event.event(), json.toString());
  }

  private JsonNode parse(String data) {
    try {
      return JSON.readTree(data);
    } catch (JsonProcessingException garbage) {
      throw endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent an event that is not JSON.", garbage);
    }
  }

  /** In this order: OpenAI (where {@code [DONE]} or nothing may follow), Anthropic, Ollama. */
  private static boolean isLast(JsonNode event) {
    return event.at("/choices/0/finish_reason").isTextual()
        || event.path("type").asText().equals("message_stop")
        || event.path("done").asBoolean();
  }
}
