package dev.errand.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Reads one agent's file as text: UTF-8, of bounded size, lines ended by {@code \n}. */
final class AgentFileText {

  static final int MAX_BYTES = 256 * 1024;

  private AgentFileText() {}

  /**
   * @throws BrokenAgentFile it is no such text
   */
  static String read(Path path) {
    var file = path.getFileName().toString();
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw new BrokenAgentFile(
            file, 1, "is too large: an agent's file has at most " + MAX_BYTES / 1024 + " KiB");
      }
      return decoded(file, Files.readAllBytes(path));
    } catch (IOException fault) {
      throw new BrokenAgentFile(file, 1, "cannot be read");
    }
  }

  private static String decoded(String file, byte[] bytes) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var in = ByteBuffer.wrap(bytes);
    var text = CharBuffer.allocate(bytes.length);
    if (decoder.decode(in, text, true).isError()) {
      throw new BrokenAgentFile(
          file, 1 + newlines(bytes, in.position()), "is not UTF-8; save it with that encoding");
    }
    return text.flip().toString().replaceFirst("^\uFEFF", "").replace("\r\n", "\n");
  }

  private static int newlines(byte[] bytes, int end) {
    return (int) IntStream.range(0, end).filter(at -> bytes[at] == '\n').count();
  }
}
