package dev.errand.model;

import dev.errand.conversation.Usage;
import java.time.Duration;

/** What is counted of model calls. Names are of the form {@code provider:name}. */
public interface ModelMetrics {

  /** A model gave a whole answer. */
  void answered(String provider, String name, Usage usage, Duration took);

  /** A model gave none. */
  void failed(String provider, ModelException.Code code, Duration took);
}
