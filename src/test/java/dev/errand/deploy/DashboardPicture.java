package dev.errand.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Prometheus;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;

/** A dashboard with all its panels in their places, as one picture. */
record DashboardPicture(String name, List<PanelPicture> panels) {

  /** Of what, with scrapes every second, says enough and is not too wild. */
  private static final String RATES_OVER = "15s";

  private static final int COLUMN = 72;
  private static final int ROW = 34;
  private static final int GAP = 4;

  static DashboardPicture of(
      JsonNode dashboard, Prometheus prometheus, Instant begin, Instant end) {
    var panels = new ArrayList<PanelPicture>();
    for (var panel : dashboard.get("panels")) {
      var curves = new ArrayList<Curve>();
      for (var target : panel.get("targets")) {
        var expression = Dashboards.selected(target.get("expr").asText(), RATES_OVER);
        for (var series : prometheus.range(expression, begin, end)) {
          curves.add(Curve.of(series, target.path("legendFormat").asText(), begin));
        }
      }
      panels.add(new PanelPicture(panel, curves));
    }
    return new DashboardPicture(dashboard.get("uid").asText(), panels);
  }

  /** Titles of the panels that had nothing to show all the time. */
  List<String> empty() {
    return panels.stream().filter(panel -> !panel.hasData()).map(PanelPicture::title).toList();
  }

  void write(Path folder) throws IOException {
    var height = panels.stream().mapToInt(panel -> edge(panel, "y", "h")).max().orElseThrow();
    var image = new BufferedImage(24 * COLUMN, height * ROW, BufferedImage.TYPE_INT_RGB);
    var graphics = image.createGraphics();
    graphics.setColor(Color.LIGHT_GRAY);
    graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
    for (var panel : panels) {
      var place = panel.panel().get("gridPos");
      var picture =
          panel.draw(place.get("w").asInt() * COLUMN - GAP, place.get("h").asInt() * ROW - GAP);
      graphics.drawImage(
          picture, place.get("x").asInt() * COLUMN, place.get("y").asInt() * ROW, null);
    }
    graphics.dispose();
    Files.createDirectories(folder);
    ImageIO.write(image, "png", folder.resolve(name + ".png").toFile());
  }

  private static int edge(PanelPicture panel, String from, String size) {
    var place = panel.panel().get("gridPos");
    return place.get(from).asInt() + place.get(size).asInt();
  }
}
