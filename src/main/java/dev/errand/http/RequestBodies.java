package dev.errand.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.postgres.StorableText;
import jakarta.inject.Singleton;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import org.jspecify.annotations.Nullable;

/** Reads and checks request bodies. */
@Singleton
public class RequestBodies {

  private final ObjectMapper mapper;
  private final Validator validator;

  RequestBodies(ObjectMapper mapper, Validator validator) {
    this.mapper = mapper;
    this.validator = validator;
  }

  /**
   * Returns the body as a JSON object. What PostgreSQL cannot store in its texts is replaced.
   *
   * @throws Refusal the body is not an object, or is nested too deeply
   */
  public ObjectNode object(@Nullable JsonNode body) {
    if (!(body instanceof ObjectNode object)) {
      throw Refusal.invalid("", "the body must be a JSON object");
    }
    for (var entry : object.properties()) {
      if (Content.depth(entry.getValue()) >= Content.MAX_DEPTH) {
        throw Refusal.invalid(
            entry.getKey(), "makes the body more than " + Content.MAX_DEPTH + " levels deep");
      }
    }
    return (ObjectNode) StorableText.of(object);
  }

  /**
   * Returns the body as a record whose constraints are met.
   *
   * @throws JsonProcessingException a field is unknown or of another type
   * @throws ConstraintViolationException a constraint of the record is violated
   */
  public <T> T read(@Nullable JsonNode body, Class<T> type) throws JsonProcessingException {
    var value = mapper.treeToValue(object(body), type);
    var violations = validator.validate(value);
    if (!violations.isEmpty()) {
      throw new ConstraintViolationException(violations);
    }
    return value;
  }
}
