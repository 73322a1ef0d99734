package demo;

/** Why the demo ends here, in a sentence for the one who started it. */
final class DemoFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  DemoFailure(String reason) {
    super(reason);
  }
}
