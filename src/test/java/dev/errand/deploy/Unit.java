package dev.errand.deploy;

import java.util.Locale;

/** Formats numbers with the units of Grafana. */
final class Unit {

  private Unit() {}

  static String format(String unit, double value) {
    return switch (unit) {
      case "percentunit" -> number(value * 100) + " %";
      case "s" -> seconds(value);
      case "ms" -> seconds(value / 1000);
      case "bytes" -> number(value / (1 << 20)) + " MiB";
      case "ops", "reqps" -> number(value) + "/s";
      default -> number(value);
    };
  }

  private static String seconds(double value) {
    return Math.abs(value) < 1 ? number(value * 1000) + " ms" : number(value) + " s";
  }

  private static String number(double value) {
    var digits = Math.abs(value) < 10 ? 2 : 0;
    var text = String.format(Locale.ROOT, "%,." + digits + "f", value);
    return digits == 0 ? text : text.replaceFirst("\\.?0+$", "");
  }
}
