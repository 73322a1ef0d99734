package dev.errand.model;

/**
 * Carries a fault through langchain4j, which inspects the root cause of exceptions and replaces
 * some of them by its own. This exception has no cause.
 */
final class OpaqueModelException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final ModelException fault;

  OpaqueModelException(ModelException fault) {
    super(fault.getMessage());
    this.fault = fault;
  }

  ModelException fault() {
    return fault;
  }
}
