package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.http.IdempotencyHeader;
import dev.errand.postgres.StorableText;
import dev.errand.secret.Secrets;
import dev.errand.session.ClientCalls;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/sessions/{id}/tool-calls}.
 *
 * @param callId the id that the model gave to the call; unique in the session
 * @param arguments a JSON object, or a text that contains one, as OpenAI sends it; null means an
 *     empty object
 */
record NewToolCall(
    @NotNull(message = "is required")
        @Size(min = 1, max = NewToolCall.MAX_ID, message = "must have 1 to 200 characters")
        @Pattern(
            regexp = NewToolCall.ID,
            message = "must have only letters, digits and _ . : | + = @ ~ -")
        String callId,
    @NotBlank(message = "is required")
        @Size(max = NewToolCall.MAX_ID, message = "must have at most 200 characters")
        String name,
    @Nullable JsonNode arguments) {

  static final int MAX_ID = 200;
  static final String ID = "^[A-Za-z0-9_.:|+=@~-]+$";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  /** Secrets are masked before the call runs, as in the answer of a model. */
  ClientCalls.CallRequest by(SessionId session) {
    var object = object();
    var what = JsonNodeFactory.instance.objectNode().put("name", name);
    what.set("arguments", object);
    return new ClientCalls.CallRequest(
        session,
        new Content.ToolCall(callId, name, Secrets.masked(object)),
        IdempotencyHeader.digest(what));
  }

  /**
   * A text that is not exactly one JSON object stays a text: the result says what is wrong with it.
   */
  private JsonNode object() {
    if (arguments == null || arguments.isNull()) {
      return JsonNodeFactory.instance.objectNode();
    }
    if (!arguments.isTextual()) {
      return arguments;
    }
    try {
      var read = JSON.readTree(arguments.textValue());
      return read.isObject() ? StorableText.of(read) : arguments;
    } catch (JsonProcessingException notJson) {
      return arguments;
    }
  }
}
