package dev.errand.tool.patch;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.InflaterInputStream;
import org.eclipse.jgit.util.io.BinaryDeltaInputStream;
import org.eclipse.jgit.util.io.BinaryHunkInputStream;

/**
 * The new content of a binary file, whole or as a delta to the old content.
 *
 * @param size of the content or the delta
 * @param lines in git's base 85, compressed
 */
record BinaryChange(boolean delta, int size, String lines) {

  static final int MAX_BYTES = 10 * 1024 * 1024;

  /** Returns the new content. */
  byte[] applyTo(byte[] before) {
    var encoded = new ByteArrayInputStream(lines.getBytes(StandardCharsets.ISO_8859_1));
    try (var in = new InflaterInputStream(new BinaryHunkInputStream(encoded))) {
      var data = in.readNBytes(size);
      if (data.length < size) {
        throw corrupt();
      }
      return delta ? changed(before, data) : data;
    } catch (IOException fault) {
      throw corrupt();
    }
  }

  private static byte[] changed(byte[] before, byte[] delta) throws IOException {
    try (var in = new BinaryDeltaInputStream(before, new ByteArrayInputStream(delta))) {
      var size = in.getExpectedResultSize();
      if (size > MAX_BYTES) {
        throw new UnusablePatch("a binary file would have more than 10 MB");
      }
      // One more than there should be, because the stream does not check the size.
      var result = in.readNBytes((int) size + 1);
      if (result.length != size) {
        throw corrupt();
      }
      return result;
    }
  }

  private static UnusablePatch corrupt() {
    return new UnusablePatch("the data of a binary file is damaged");
  }
}
