package dev.errand.tool.file;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;

/** An open file that is probably text. Its content is read once, as lines or as bytes. */
public final class TextFile implements Closeable {

  private static final int HEAD_BYTES = 8_192;

  private final SeekableByteChannel channel;
  private final byte[] head;

  private TextFile(SeekableByteChannel channel, byte[] head) {
    this.channel = channel;
    this.head = head;
  }

  /** Takes the channel over, and closes it when the file cannot be read. */
  public static TextFile read(SeekableByteChannel channel) throws IOException {
    return read(channel, HEAD_BYTES);
  }

  /**
   * The same, a little faster.
   *
   * @param size what the file had just now; what it has grown by is not read
   */
  public static TextFile read(SeekableByteChannel channel, long size) throws IOException {
    try {
      return new TextFile(channel, head(channel, (int) Math.min(HEAD_BYTES, size)));
    } catch (IOException unreadable) {
      channel.close();
      throw unreadable;
    }
  }

  /** Whether this is no text: by its first bytes, or by a NUL among its first 8 kB. */
  public boolean isBinary() {
    return hasNul() && !isUtf16() || binaryKind().isNeverText();
  }

  public boolean isUtf16() {
    return TextEncoding.isUtf16(head);
  }

  BinaryKind binaryKind() {
    return BinaryKind.of(head);
  }

  /** As far as the first 8 kB tell. */
  TextEncoding encoding() {
    return TextEncoding.of(head, isWhole());
  }

  public long size() throws IOException {
    return channel.size();
  }

  /** The lines, of which at most {@code maxChars} characters each are kept. */
  TextLines lines(int maxChars) {
    return new TextLines(stream(), encoding(), maxChars);
  }

  /** The whole content, or its first {@code max} bytes. */
  public byte[] bytes(int max) throws IOException {
    return isWhole() ? head : stream().readNBytes(max);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private boolean isWhole() {
    return head.length < HEAD_BYTES;
  }

  private InputStream stream() {
    return new SequenceInputStream(
        new ByteArrayInputStream(head), Channels.newInputStream(channel));
  }

  private boolean hasNul() {
    for (var octet : head) {
      if (octet == 0) {
        return true;
      }
    }
    return false;
  }

  private static byte[] head(SeekableByteChannel channel, int size) throws IOException {
    var buffer = ByteBuffer.allocate(size);
    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {}
    return buffer.hasRemaining()
        ? Arrays.copyOf(buffer.array(), buffer.position())
        : buffer.array();
  }
}
