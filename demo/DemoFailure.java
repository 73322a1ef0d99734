package demo;

/** Ends the demo with a sentence for the user. */
final class DemoFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  DemoFailure(String reason) {
    super(reason);
  }
}
