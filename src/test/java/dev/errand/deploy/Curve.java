package dev.errand.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;

/**
 * One curve of a panel.
 *
 * @param minutes since the start of the run
 */
record Curve(String name, double[] minutes, double[] values) {

  /** In minutes; there is one sample per second. */
  private static final double LONGEST_STEP = 1.5 / 60;

  /**
   * Converts a series of Prometheus.
   *
   * @param legend the name of the curve; {@code {{label}}} is replaced by the value of the label
   */
  static Curve of(JsonNode series, String legend, Instant begin) {
    var samples = series.get("values");
    var minutes = new double[samples.size()];
    var values = new double[samples.size()];
    for (int index = 0; index < samples.size(); index++) {
      var sample = samples.get(index);
      minutes[index] = (sample.get(0).asDouble() - begin.getEpochSecond()) / 60;
      values[index] = number(sample.get(1).asText());
    }
    return new Curve(name(series.get("metric"), legend), minutes, values);
  }

  private static double number(String text) {
    return switch (text) {
      case "NaN", "+Inf", "-Inf" -> Double.NaN;
      default -> Double.parseDouble(text);
    };
  }

  private static String name(JsonNode labels, String legend) {
    var name = legend;
    for (Map.Entry<String, JsonNode> label : labels.properties()) {
      name = name.replace("{{" + label.getKey() + "}}", label.getValue().asText());
    }
    return name;
  }

  /**
   * Returns the curve without a line between the last sample before a gap and the first one after
   * it.
   */
  Curve withGaps() {
    var withGaps = values.clone();
    for (int index = 1; index < minutes.length; index++) {
      if (minutes[index] - minutes[index - 1] > LONGEST_STEP) {
        withGaps[index] = Double.NaN;
      }
    }
    return new Curve(name, minutes, withGaps);
  }

  boolean hasData() {
    for (var value : values) {
      if (!Double.isNaN(value)) {
        return true;
      }
    }
    return false;
  }

  double last() {
    return values[values.length - 1];
  }
}
