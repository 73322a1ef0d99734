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

/** An open file that is probably text. The content can be read once, as lines or as bytes. */
public final class TextFile implements Closeable {

  private static final int HEAD_BYTES = 8_192;

  private final SeekableByteChannel channel;
  private final byte[] head;

  private TextFile(SeekableByteChannel channel, byte[] head) {
    this.channel = channel;
    this.head = head;
  }

  /** Takes ownership of the channel and closes it if the file cannot be read. */
  public static TextFile read(SeekableByteChannel channel) throws IOException {
    return read(channel, HEAD_BYTES);
  }

  /**
   * Reads a file of a known size, which is faster.
   *
   * @param size the current size; what is appended later is not read
   */
  public static TextFile read(SeekableByteChannel channel, long size) throws IOException {
    try {
      return new TextFile(channel, head(channel, (int) Math.min(HEAD_BYTES, size)));
    } catch (IOException unreadable) {
      channel.close();
      throw unreadable;
    }
  }

  /** Returns whether the file is binary: by its signature, or by a NUL in its first 8 kB. */
  public boolean isBinary() {
    return isBinary(head);
  }

  /** Returns whether the content of a file is binary. */
  static boolean isBinary(byte[] content) {
    var head = content.length > HEAD_BYTES ? Arrays.copyOf(content, HEAD_BYTES) : content;
    return hasNul(head) && !TextEncoding.isUtf16(head) || BinaryKind.of(head).isNeverText();
  }

  BinaryKind binaryKind() {
    return BinaryKind.of(head);
  }

  /** Detects the encoding from the first 8 kB. */
  TextEncoding encoding() {
    return TextEncoding.of(head, isWhole());
  }

  public long size() throws IOException {
    return channel.size();
  }

  /** Returns the lines and keeps at most {@code maxChars} characters of each. */
  TextLines lines(int maxChars) {
    return new TextLines(stream(), encoding(), maxChars);
  }

  /** Returns the whole content, or its first {@code max} bytes. */
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

  private static boolean hasNul(byte[] head) {
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
