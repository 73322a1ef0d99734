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

/** A picture of a dashboard with all its panels. */
record DashboardPicture(String name, List<PanelPicture> panels) {

  /**
   * With one scrape per second, this window is short enough to show changes and long enough to
   * smooth the curves.
   */
  private static final String RATE_WINDOW = "15s";

  private static final int COLUMN = 72;
  private static final int ROW = 34;
  private static final int GAP = 4;

  static DashboardPicture of(
      JsonNode dashboard, Prometheus prometheus, Instant begin, Instant end) {
    var panels = new ArrayList<PanelPicture>();
    for (var panel : dashboard.get("panels")) {
      var curves = new ArrayList<Curve>();
      for (var target : panel.get("targets")) {
        var expression = Dashboards.selected(target.get("expr").asText(), RATE_WINDOW);
        for (var series : prometheus.range(expression, begin, end)) {
          curves.add(Curve.of(series, target.path("legendFormat").asText(), begin));
        }
      }
      panels.add(new PanelPicture(panel, curves));
    }
    return new DashboardPicture(dashboard.get("uid").asText(), panels);
  }

  /** The titles of the panels that have no data. */
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
      var position = panel.panel().get("gridPos");
      var picture =
          panel.draw(
              position.get("w").asInt() * COLUMN - GAP, position.get("h").asInt() * ROW - GAP);
      graphics.drawImage(
          picture, position.get("x").asInt() * COLUMN, position.get("y").asInt() * ROW, null);
    }
    graphics.dispose();
    Files.createDirectories(folder);
    ImageIO.write(image, "png", folder.resolve(name + ".png").toFile());
  }

  private static int edge(PanelPicture panel, String from, String size) {
    var position = panel.panel().get("gridPos");
    return position.get(from).asInt() + position.get(size).asInt();
  }
}
