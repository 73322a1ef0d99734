package dev.errand.tool;

/**
 * One thing that is wrong with a JSON object.
 *
 * @param field where, {@code todos[0].content}; empty for the object as a whole
 * @param message what would be right: {@code must be at least 1}
 */
public record FieldProblem(String field, String message) {

  @Override
  public String toString() {
    return field.isEmpty() ? message : field + ": " + message;
  }
}
