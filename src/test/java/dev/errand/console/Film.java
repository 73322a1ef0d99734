package dev.errand.console;

import dev.errand.console.FilmWriter.Frame;
import dev.errand.kit.Browser;
import java.awt.Color;
import java.awt.Font;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;

/** Takes pictures of a page three times a second. Below the page is what a terminal says. */
final class Film {

  private static final long PAUSE_MS = 330;
  private static final int STRIP = 34;
  private static final Color STRIP_COLOUR = new Color(0x16181b);
  private static final Color TEXT_COLOUR = new Color(0xe6e8ea);

  private final Browser browser;
  private final List<Frame> frames = new ArrayList<>();
  private final Thread camera = Thread.ofPlatform().name("camera").unstarted(this::record);
  private volatile String line = "";
  private volatile boolean over;

  private Film(Browser browser) {
    this.browser = browser;
  }

  static Film of(Browser browser) {
    var film = new Film(browser);
    film.camera.start();
    return film;
  }

  /** The terminal says this from now on. */
  void says(String text) {
    line = text;
  }

  /** Stops, and returns what was taken. */
  List<Frame> end() throws InterruptedException {
    over = true;
    camera.join();
    return frames;
  }

  private void record() {
    try {
      while (!over) {
        var from = System.nanoTime();
        var picture = picture(line);
        var left = PAUSE_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
        Thread.sleep(Math.max(0, left));
        frames.add(new Frame(picture, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from)));
      }
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private BufferedImage picture(String text) throws IOException {
    var page = ImageIO.read(new ByteArrayInputStream(browser.screenshot()));
    var height = page.getHeight();
    var picture = new BufferedImage(page.getWidth(), height + STRIP, BufferedImage.TYPE_INT_RGB);
    var pen = picture.createGraphics();
    pen.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    pen.drawImage(page, 0, 0, null);
    pen.setColor(STRIP_COLOUR);
    pen.fillRect(0, height, page.getWidth(), STRIP);
    pen.setColor(TEXT_COLOUR);
    pen.setFont(new Font(Font.MONOSPACED, Font.PLAIN, 14));
    pen.drawString(text, 16, height + 22);
    pen.dispose();
    return picture;
  }
}
