package dev.errand.bench;

import java.util.Collection;

/** Measured values of one kind, sorted. */
record Samples(double[] sorted) {

  private static final double NANOS_PER_MILLI = 1e6;

  static Samples ofNanos(Collection<Long> nanos) {
    return new Samples(
        nanos.stream().mapToDouble(value -> value / NANOS_PER_MILLI).sorted().toArray());
  }

  static Samples of(Collection<Double> values) {
    return new Samples(values.stream().mapToDouble(Double::doubleValue).sorted().toArray());
  }

  /**
   * @param share between 0 and 1; 0.5 is the median
   */
  double quantile(double share) {
    return sorted[(int) Math.min(sorted.length - 1, Math.round(share * (sorted.length - 1)))];
  }

  double median() {
    return quantile(0.5);
  }
}
