package dev.errand.api.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import jakarta.inject.Singleton;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import java.util.stream.StreamSupport;
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
   * Returns the body as a JSON object.
   *
   * @throws Refusal the body is not an object, is nested too deeply, or contains the character NUL,
   *     which PostgreSQL does not store
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
    refuseNul("", object);
    return object;
  }

  /**
   * Returns the body as a record whose constraints hold.
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

  private static void refuseNul(String field, JsonNode node) {
    if (node.isTextual() && node.textValue().indexOf('\0') >= 0) {
      throw Refusal.invalid(field, "must not contain the character NUL (\\u0000)");
    }
    if (node.isObject()) {
      node.properties()
          .forEach(entry -> refuseNul(joined(field, entry.getKey()), entry.getValue()));
    }
    if (node.isArray()) {
      StreamSupport.stream(node.spliterator(), false).forEach(item -> refuseNul(field, item));
    }
  }

  private static String joined(String field, String name) {
    return field.isEmpty() ? name : field + "." + name;
  }
}
