package dev.errand.tool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;

/** An open file that is probably text. Its content is streamed. */
final class TextFile implements Closeable {

  private static final int HEAD_BYTES = 8_192;

  private final SeekableByteChannel channel;
  private final byte[] head;

  private TextFile(SeekableByteChannel channel, byte[] head) {
    this.channel = channel;
    this.head = head;
  }

  /** Takes the channel over, and closes it when the file cannot be read. */
  static TextFile read(SeekableByteChannel channel) throws IOException {
    try {
      return new TextFile(channel, head(channel));
    } catch (IOException unreadable) {
      channel.close();
      throw unreadable;
    }
  }

  /** Whether this is no text: it has a NUL among its first 8 kB. */
  boolean isBinary() {
    for (var octet : head) {
      if (octet == 0) {
        return true;
      }
    }
    return false;
  }

  BinaryKind binaryKind() {
    return BinaryKind.of(head);
  }

  long size() throws IOException {
    return channel.size();
  }

  /** The lines, of which at most {@code maxChars} characters each are kept. */
  TextLines lines(int maxChars) {
    return new TextLines(Channels.newInputStream(channel), maxChars);
  }

  /** The whole content, or its first {@code max} bytes. */
  byte[] bytes(int max) throws IOException {
    return Channels.newInputStream(channel).readNBytes(max);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static byte[] head(SeekableByteChannel channel) throws IOException {
    var buffer = ByteBuffer.allocate(HEAD_BYTES);
    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {}
    channel.position(0);
    return Arrays.copyOf(buffer.array(), buffer.position());
  }
}
