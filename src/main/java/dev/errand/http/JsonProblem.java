package dev.errand.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.tool.FieldProblem;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Describes what is wrong with a JSON body in terms of the API, without names of classes. */
final class JsonProblem {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private JsonProblem() {}

  static FieldProblem of(JsonProcessingException fault) {
    return switch (fault) {
      case UnrecognizedPropertyException unknown ->
          new FieldProblem(
              field(unknown), "unknown field; known: " + known(unknown.getKnownPropertyIds()));
      case MismatchedInputException twice when twice.getOriginalMessage().startsWith("Duplicate") ->
          new FieldProblem(field(twice), "the field is given twice" + place(twice));
      case MismatchedInputException mismatch ->
          new FieldProblem(field(mismatch), "must be " + expected(mismatch.getTargetType()));
      case JsonMappingException large when large.getCause() instanceof InputCoercionException ->
          new FieldProblem(field(large), "is too large a number");
      case JsonMappingException other when !other.getPath().isEmpty() ->
          new FieldProblem(field(other), "cannot be read");
      case StreamConstraintsException _ ->
          new FieldProblem("", "the body is nested too deeply, or a name or number is too long");
      default -> new FieldProblem("", "the body is not valid JSON" + place(fault));
    };
  }

  private static String known(Collection<Object> names) {
    return names.stream().map(Object::toString).sorted().collect(Collectors.joining(", "));
  }

  private static String field(JsonMappingException fault) {
    return path(fault.getPath());
  }

  private static String path(List<Reference> path) {
    return path.stream()
        .map(step ->
            step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
        .collect(Collectors.joining())
        .replaceFirst("^\\.", "");
  }

  private static String expected(Class<?> type) {
    if (type == null) {
      return "of another type";
    }
    if (type == String.class) {
      return "a string";
    }
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    if (type == BigDecimal.class) {
      return "a number";
    }
    if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
      return "a whole number";
    }
    if (type.isEnum()) {
      return "one of " + words(type);
    }
    return Collection.class.isAssignableFrom(type) || type.isArray() ? "an array" : "an object";
  }

  /** Returns the constants of an enum as the API spells them. */
  private static String words(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> JSON.convertValue(constant, String.class))
        .collect(Collectors.joining(", "));
  }

  private static String place(JsonProcessingException fault) {
    var at = fault.getLocation();
    return at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
  }
}
