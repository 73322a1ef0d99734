package dev.errand.console;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOInvalidTreeException;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import org.jspecify.annotations.Nullable;

/** Writes frames as an animated GIF that repeats. A frame contains what has changed. */
final class FilmWriter {

  private static final String FORMAT = "javax_imageio_gif_image_1.0";
  private static final byte[] REPEAT_FOR_EVER = {1, 0, 0};
  private static final int LAST_FRAME_CENTISECONDS = 400;

  private final ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
  private final Palette palette;

  private FilmWriter(Palette palette) {
    this.palette = palette;
  }

  /**
   * A picture of the film.
   *
   * @param ms how long it is shown
   */
  record Frame(BufferedImage picture, long ms) {}

  static void write(List<Frame> frames, Path file) throws IOException {
    new FilmWriter(Palette.of(frames.stream().map(Frame::picture).toList())).writeAll(frames, file);
  }

  private void writeAll(List<Frame> frames, Path file) throws IOException {
    Files.deleteIfExists(file);
    try (var out = ImageIO.createImageOutputStream(file.toFile())) {
      writer.setOutput(out);
      writer.prepareWriteSequence(null);
      BufferedImage before = null;
      long pending = 0;
      for (int index = 0; index < frames.size(); index++) {
        var frame = frames.get(index);
        pending += frame.ms();
        var picture = palette.apply(frame.picture());
        var isLast = index == frames.size() - 1;
        var next = isLast ? null : palette.apply(frames.get(index + 1).picture());
        if (next != null && changed(picture, next).isEmpty()) {
          continue;
        }
        var part = changed(before, picture);
        var drawn = before == null ? picture : palette.changes(before, picture);
        write(drawn, part, isLast ? LAST_FRAME_CENTISECONDS : pending / 10);
        before = picture;
        pending = 0;
      }
      writer.endWriteSequence();
    } finally {
      writer.dispose();
    }
  }

  private void write(BufferedImage picture, Rectangle part, long centiseconds) throws IOException {
    var metadata = writer.getDefaultImageMetadata(new ImageTypeSpecifier(picture), null);
    describe(metadata, part, centiseconds);
    var shown = picture.getSubimage(part.x, part.y, part.width, part.height);
    writer.writeToSequence(new IIOImage(shown, null, metadata), null);
  }

  private static void describe(IIOMetadata metadata, Rectangle part, long centiseconds)
      throws IIOInvalidTreeException {
    var root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
    var place = node(root, "ImageDescriptor");
    place.setAttribute("imageLeftPosition", Integer.toString(part.x));
    place.setAttribute("imageTopPosition", Integer.toString(part.y));
    var control = node(root, "GraphicControlExtension");
    control.setAttribute("disposalMethod", "doNotDispose");
    control.setAttribute("userInputFlag", "FALSE");
    control.setAttribute("delayTime", Long.toString(centiseconds));
    var repetition = new IIOMetadataNode("ApplicationExtension");
    repetition.setAttribute("applicationID", "NETSCAPE");
    repetition.setAttribute("authenticationCode", "2.0");
    repetition.setUserObject(REPEAT_FOR_EVER);
    node(root, "ApplicationExtensions").appendChild(repetition);
    metadata.setFromTree(FORMAT, root);
  }

  private static IIOMetadataNode node(IIOMetadataNode root, String name) {
    var found = root.getElementsByTagName(name);
    if (found.getLength() > 0) {
      return (IIOMetadataNode) found.item(0);
    }
    var made = new IIOMetadataNode(name);
    root.appendChild(made);
    return made;
  }

  /** The smallest rectangle that contains every pixel that differs. */
  private static Rectangle changed(@Nullable BufferedImage before, BufferedImage now) {
    var all = new Rectangle(now.getWidth(), now.getHeight());
    if (before == null) {
      return all;
    }
    var found = new Rectangle(-1, -1);
    for (int y = 0; y < all.height; y++) {
      for (int x = 0; x < all.width; x++) {
        if (before.getRaster().getSample(x, y, 0) != now.getRaster().getSample(x, y, 0)) {
          found.add(new Rectangle(x, y, 1, 1));
        }
      }
    }
    return found;
  }
}
