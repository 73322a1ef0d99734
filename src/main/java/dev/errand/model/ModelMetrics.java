package dev.errand.model;

import dev.errand.conversation.Usage;
import java.time.Duration;

/** Metrics of model calls. Names have the form {@code provider:name}. */
public interface ModelMetrics {

  /** Records a complete answer. */
  void answered(String provider, String name, Usage usage, Duration took);

  /** Records a failed call. */
  void failed(String provider, ModelException.Code code, Duration took);
}
