package dev.errand.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A picture of a panel, similar to Grafana: curves over time, or one number. */
record PanelPicture(JsonNode panel, List<Curve> curves) {

  /** The number of names that fit on one line below the chart. */
  private static final int NAMES_BELOW = 4;

  private static final Font PLAIN = new Font(Font.SANS_SERIF, Font.PLAIN, 11);
  private static final Font BOLD = PLAIN.deriveFont(Font.BOLD, 12f);
  private static final Font LARGE = PLAIN.deriveFont(Font.PLAIN, 28f);

  String title() {
    return panel.get("title").asText();
  }

  boolean hasData() {
    return curves.stream().anyMatch(Curve::hasData);
  }

  BufferedImage draw(int width, int height) {
    return panel.get("type").asText().equals("timeseries") && hasData()
        ? lines(width, height)
        : number(width, height);
  }

  private String unit() {
    return panel.at("/fieldConfig/defaults/unit").asText();
  }

  private BufferedImage lines(int width, int height) {
    var chart = new XYChartBuilder().width(width).height(height).title(title()).build();
    style(chart);
    var bridged = panel.at("/fieldConfig/defaults/custom/spanNulls").asBoolean();
    for (int index = 0; index < curves.size(); index++) {
      var curve = bridged ? curves.get(index) : curves.get(index).withGaps();
      // Names must be unique; a number marks duplicate names.
      var name =
          chart.getSeriesMap().containsKey(curve.name())
              ? curve.name() + " #" + index
              : curve.name();
      chart
          .addSeries(name, curve.minutes(), curve.values())
          .setMarker(SeriesMarkers.NONE)
          .setLineStyle(new BasicStroke(1.5f));
    }
    return BitmapEncoder.getBufferedImage(chart);
  }

  private void style(XYChart chart) {
    var style = chart.getStyler();
    style.setChartBackgroundColor(Color.WHITE);
    style.setChartTitleFont(BOLD);
    style.setLegendFont(PLAIN);
    var below = curves.size() <= NAMES_BELOW;
    style.setLegendPosition(below ? LegendPosition.OutsideS : LegendPosition.OutsideE);
    style.setLegendLayout(below ? LegendLayout.Horizontal : LegendLayout.Vertical);
    style.setLegendBorderColor(Color.WHITE);
    style.setAxisTickLabelsFont(PLAIN);
    style.setxAxisTickLabelsFormattingFunction(minute -> "%.1f min".formatted(minute));
    style.setyAxisTickLabelsFormattingFunction(value -> Unit.format(unit(), value));
    var limits = panel.at("/fieldConfig/defaults");
    if (limits.has("min")) {
      style.setYAxisMin(limits.get("min").asDouble());
    }
    if (limits.has("max")) {
      style.setYAxisMax(limits.get("max").asDouble());
    }
  }

  private BufferedImage number(int width, int height) {
    var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    var graphics = image.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, width, height);
    graphics.setColor(hasData() ? Color.BLACK : Color.RED);
    graphics.setFont(BOLD);
    graphics.drawString(title(), 10, 20);
    graphics.setFont(LARGE);
    var text = hasData() ? Unit.format(unit(), curves.getFirst().last()) : "no data";
    graphics.drawString(text, 10, height / 2 + 20);
    graphics.dispose();
    return image;
  }
}
