package dev.errand.model;

import java.time.Duration;

/**
 * How long one call waits.
 *
 * @param firstByte for the answer to begin
 * @param chunk for it to go on
 * @param total for all of it
 */
record Timeouts(Duration firstByte, Duration chunk, Duration total) {

  static Timeouts whole(ModelConfig config) {
    return new Timeouts(config.totalTimeout(), config.chunkTimeout(), config.totalTimeout());
  }

  static Timeouts streamed(ModelConfig config) {
    return new Timeouts(config.firstByteTimeout(), config.chunkTimeout(), config.totalTimeout());
  }
}
