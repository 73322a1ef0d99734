package dev.errand.bench;

import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;

/** Run by {@code make bench}. It fails when a request fails, never because of a figure. */
class BenchRun {

  @Test
  void measures() {
    assertThatNoException().isThrownBy(Bench::main);
  }
}
