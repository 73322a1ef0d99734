package dev.errand.console;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * At most 255 colours for pictures of pages, which have few colours and many shades of them at the
 * edges of letters. The most frequent colours are kept as they are; every other one becomes the
 * nearest of them.
 */
final class Palette {

  private static final int SIZE = 255;

  /** The index of no colour, in pictures that {@link #changes} makes. */
  private static final int TRANSPARENT = 255;

  /** Shades nearer than this are not both kept, so that rare colours have a place. */
  private static final int[] DISTANCES = {160, 48, 12, 0};

  private final int[] colours;
  private final IndexColorModel opaque;
  private final IndexColorModel transparent;
  private final Map<Integer, Byte> nearest = new HashMap<>();

  private Palette(List<Integer> kept) {
    colours = kept.stream().mapToInt(Integer::intValue).toArray();
    opaque = new IndexColorModel(8, colours.length, colours, 0, false, -1, 0);
    var all = Arrays.copyOf(colours, SIZE + 1);
    transparent = new IndexColorModel(8, all.length, all, 0, false, TRANSPARENT, 0);
  }

  /** The palette of all these pictures. */
  static Palette of(List<BufferedImage> pictures) {
    var counts = new HashMap<Integer, Integer>();
    for (var picture : pictures) {
      for (var pixel : pixels(picture)) {
        counts.merge(pixel & 0xffffff, 1, Integer::sum);
      }
    }
    var frequent =
        counts.entrySet().stream()
            .sorted(Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder()))
            .map(Map.Entry::getKey)
            .limit(20_000)
            .toList();
    return new Palette(spread(frequent));
  }

  /** First colours that differ much, then those between them. */
  private static List<Integer> spread(List<Integer> frequent) {
    var kept = new ArrayList<Integer>();
    for (var apart : DISTANCES) {
      for (var colour : frequent) {
        if (kept.size() == SIZE) {
          return kept;
        }
        if (kept.stream().allMatch(other -> distance(colour, other) > apart)) {
          kept.add(colour);
        }
      }
    }
    return kept;
  }

  /** The picture in the colours of the palette. */
  BufferedImage apply(BufferedImage picture) {
    var pixels = pixels(picture);
    var indexes = new byte[pixels.length];
    for (int at = 0; at < pixels.length; at++) {
      indexes[at] = nearest.computeIfAbsent(pixels[at] & 0xffffff, this::nearest);
    }
    return picture(indexes, picture.getWidth(), opaque);
  }

  /** What differs between two pictures of this palette; everything else is transparent. */
  BufferedImage changes(BufferedImage before, BufferedImage now) {
    var old = indexes(before);
    var indexes = indexes(now);
    for (int at = 0; at < indexes.length; at++) {
      if (indexes[at] == old[at]) {
        indexes[at] = (byte) TRANSPARENT;
      }
    }
    return picture(indexes, now.getWidth(), transparent);
  }

  private static byte[] indexes(BufferedImage picture) {
    var width = picture.getWidth();
    var height = picture.getHeight();
    return (byte[]) picture.getRaster().getDataElements(0, 0, width, height, null);
  }

  private static BufferedImage picture(byte[] indexes, int width, IndexColorModel model) {
    var height = indexes.length / width;
    var made = new BufferedImage(width, height, BufferedImage.TYPE_BYTE_INDEXED, model);
    made.getRaster().setDataElements(0, 0, width, height, indexes);
    return made;
  }

  private byte nearest(int colour) {
    int best = 0;
    for (int index = 1; index < colours.length; index++) {
      if (distance(colour, colours[index]) < distance(colour, colours[best])) {
        best = index;
      }
    }
    return (byte) best;
  }

  private static int[] pixels(BufferedImage picture) {
    return picture.getRGB(
        0, 0, picture.getWidth(), picture.getHeight(), null, 0, picture.getWidth());
  }

  private static int distance(int one, int other) {
    int red = (one >> 16 & 0xff) - (other >> 16 & 0xff);
    int green = (one >> 8 & 0xff) - (other >> 8 & 0xff);
    int blue = (one & 0xff) - (other & 0xff);
    return red * red + green * green + blue * blue;
  }
}
