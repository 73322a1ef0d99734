package dev.errand.model;

/**
 * Carries a fault through langchain4j, which looks for the root cause of what is thrown, replaces
 * some of them by exceptions of its own and throws the rest away. This one has no cause to find.
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
