package dev.errand.model;

import java.time.Duration;

/**
 * How long one call waits.
 *
 * @param firstByte for the answer to begin
 * @param chunk for it to go on
 * @param total for all of it
 */
record Patience(Duration firstByte, Duration chunk, Duration total) {

  static Patience whole(ModelConfig config) {
    return new Patience(config.totalTimeout(), config.chunkTimeout(), config.totalTimeout());
  }

  static Patience streamed(ModelConfig config) {
    return new Patience(config.firstByteTimeout(), config.chunkTimeout(), config.totalTimeout());
  }
}
