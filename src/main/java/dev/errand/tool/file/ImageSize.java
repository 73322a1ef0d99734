package dev.errand.tool.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * How large an image is, read from its header.
 *
 * @param width in pixels
 * @param height in pixels
 */
record ImageSize(int width, int height) {

  /** Empty for what is no image of a known kind, or is damaged. */
  static Optional<ImageSize> of(BinaryKind kind, byte[] content) {
    var bytes = ByteBuffer.wrap(content);
    var swapped = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    try {
      return switch (kind) {
        case PNG -> Optional.of(new ImageSize(bytes.getInt(16), bytes.getInt(20)));
        case GIF -> Optional.of(new ImageSize(unsigned(swapped, 6), unsigned(swapped, 8)));
        case JPEG -> jpeg(bytes);
        case WEBP -> webp(swapped);
        default -> Optional.empty();
      };
    } catch (IndexOutOfBoundsException damaged) {
      return Optional.empty();
    }
  }

  /** Goes from segment to segment to the one that begins the frame. */
  private static Optional<ImageSize> jpeg(ByteBuffer bytes) {
    var at = 2;
    while ((bytes.get(at) & 0xFF) == 0xFF) {
      var marker = bytes.get(at + 1) & 0xFF;
      if (beginsFrame(marker)) {
        return Optional.of(new ImageSize(unsigned(bytes, at + 7), unsigned(bytes, at + 5)));
      }
      at += marker == 0xFF ? 1 : 2 + Math.max(2, unsigned(bytes, at + 2));
    }
    return Optional.empty();
  }

  private static boolean beginsFrame(int marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
  }

  /** Of its three forms: extended, without loss, with loss. */
  private static Optional<ImageSize> webp(ByteBuffer bytes) {
    return switch (bytes.get(15)) {
      case 'X' ->
          Optional.of(new ImageSize(1 + (bytes.getInt(23) >>> 8), 1 + (bytes.getInt(26) >>> 8)));
      case 'L' -> {
        var bits = bytes.getInt(21);
        yield Optional.of(new ImageSize(1 + (bits & 0x3FFF), 1 + (bits >>> 14 & 0x3FFF)));
      }
      case ' ' ->
          Optional.of(new ImageSize(unsigned(bytes, 26) & 0x3FFF, unsigned(bytes, 28) & 0x3FFF));
      default -> Optional.empty();
    };
  }

  private static int unsigned(ByteBuffer bytes, int at) {
    return bytes.getShort(at) & 0xFFFF;
  }
}
