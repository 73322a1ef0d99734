package dev.errand.tool;

/**
 * A validation error in a JSON object.
 *
 * @param field the path of the field, {@code todos[0].content}; empty for the object as a whole
 * @param message how to correct it: {@code must be at least 1}
 */
public record FieldProblem(String field, String message) {

  @Override
  public String toString() {
    return field.isEmpty() ? message : field + ": " + message;
  }
}
