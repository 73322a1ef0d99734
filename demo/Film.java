package demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Records what a run prints, and writes it as an animated SVG, which plays three times and then
 * shows its end. It shows only the end where animations are not wanted or not supported.
 */
final class Film {

  private static final int COLUMNS = 112;
  private static final double COLUMN = 7.5;
  private static final int LINE = 18;
  private static final int MARGIN = 20;
  private static final int HEAD = 56;
  private static final double SHORTEST_PAUSE = 0.2;
  private static final double LONGEST_PAUSE = 1.5;
  private static final double LAST_SECONDS = 8;

  private static final String PAGE =
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img" aria-labelledby="t">
      <title id="t">A run of make demo: an agent delegates, its node is killed and started again, and the result arrives</title>
      <style>
      text{font:12.4px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#a8adb3}
      .typed,.answer{fill:#fff}.user{fill:#f0c674}.primary{fill:#8ab4f8}.child{fill:#b5d68c}.demo,.down{fill:#ff7b72;font-weight:bold}.up{fill:#56d364}
      g{animation:%3$ds step-end 3 both}
      @media (prefers-reduced-motion:reduce){g{animation:none!important}}
      %4$s</style>
      <rect x=".5" y=".5" width="%5$d" height="%6$d" rx="8" fill="#1d2025" stroke="#4b5058"/>
      <circle cx="20" cy="20" r="6" fill="#ff5f56"/><circle cx="40" cy="20" r="6" fill="#ffbd2e"/><circle cx="60" cy="20" r="6" fill="#27c93f"/>
      %7$s</svg>
      """;

  private static final String TEXT =
      "<text class='%s' x='%d' y='%d' xml:space='preserve' textLength='%d'"
          + " lengthAdjust='spacingAndGlyphs'>%s</text>";

  /** From its moment on, a picture is visible until the film begins again. */
  private static final String KEYFRAMES =
      "@keyframes s%d{0%%{visibility:hidden}%s%%,100%%{visibility:visible}}\n";

  private static final String PICTURE = "<g style='animation-name:s%d'>%s</g>\n";
  private static final String COVER =
      "<rect x='400' y='8' width='460' height='24' fill='#1d2025'/>";

  /** Something that is visible from a moment on; {@code at} is in seconds. */
  private record Shot(double at, String picture) {}

  private final List<Shot> shots = new ArrayList<>();
  private long last = System.nanoTime();
  private double length;
  private int height = HEAD;

  /** A printed line; the film shortens long pauses before it, and lengthens short ones. */
  void line(String style, String text) {
    if (text.isBlank()) {
      return;
    }
    var now = System.nanoTime();
    length += Math.clamp((now - last) / 1e9, SHORTEST_PAUSE, LONGEST_PAUSE);
    last = now;
    shots.add(new Shot(length, text(style, MARGIN, height, text)));
    height += LINE;
  }

  void space() {
    height += LINE / 2;
  }

  /** The state of the node, in the head of the window; it covers the one before. */
  void node(String style, String text) {
    var x = MARGIN + (int) (COLUMN * (COLUMNS - text.length()));
    shots.add(new Shot(length, COVER + text(style, x, 25, text)));
  }

  private static String text(String style, int x, int y, String text) {
    var shown = text.length() > COLUMNS ? text.substring(0, COLUMNS - 1) + "…" : text;
    var escaped = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return TEXT.formatted(style, x, y, (int) (COLUMN * shown.length()), escaped);
  }

  void save(Path file) throws IOException {
    var seconds = (int) (length + LAST_SECONDS);
    var keyframes = new StringBuilder();
    var pictures = new StringBuilder();
    for (int number = 0; number < shots.size(); number++) {
      var shot = shots.get(number);
      var percent = Math.round(1000 * shot.at() / seconds) / 10.0;
      keyframes.append(KEYFRAMES.formatted(number, percent));
      pictures.append(PICTURE.formatted(number, shot.picture()));
    }
    var width = 2 * MARGIN + (int) (COLUMN * COLUMNS);
    Files.writeString(
        file, PAGE.formatted(width, height, seconds, keyframes, width - 1, height - 1, pictures));
  }
}
