package dev.errand.model;

import java.time.Duration;

/**
 * The time limits of one call.
 *
 * @param firstByte until the answer begins
 * @param chunk for a pause within the answer
 * @param total for the whole call
 */
record Timeouts(Duration firstByte, Duration chunk, Duration total) {

  static Timeouts whole(ModelConfig config) {
    return new Timeouts(config.totalTimeout(), config.chunkTimeout(), config.totalTimeout());
  }

  static Timeouts streamed(ModelConfig config) {
    return new Timeouts(config.firstByteTimeout(), config.chunkTimeout(), config.totalTimeout());
  }
}
