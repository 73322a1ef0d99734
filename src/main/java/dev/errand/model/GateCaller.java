package dev.errand.model;

/** Who asks an {@link EndpointGate} for a call. */
public enum GateCaller {
  /** A task that has made no call yet; it comes after all others. */
  NEW,
  /** A run. */
  RUN,
  /** A run that was told to come back soon. */
  RETURNING
}
