package dev.errand.session;

/**
 * The run no longer owns its session: it was cancelled, timed out or taken over. It must write
 * nothing more.
 */
public final class LeaseLost extends RuntimeException {

  private static final long serialVersionUID = 1;

  public LeaseLost(Lease lease) {
    super(lease + " is lost");
  }
}
