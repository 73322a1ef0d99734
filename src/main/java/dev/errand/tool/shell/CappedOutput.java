package dev.errand.tool.shell;

import dev.errand.conversation.TextCut;
import dev.errand.secret.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Keeps the beginning and the end of an output and counts what is between them. Bytes that are not
 * UTF-8 become {@code U+FFFD}.
 */
final class CappedOutput {

  private static final int CHUNK = 16_384;

  private final StringBuilder head = new StringBuilder();
  private final int headChars;
  private final char[] tail;
  private long total;
  private long reported;

  CappedOutput(int maxChars) {
    headChars = maxChars / 2;
    tail = new char[maxChars - headChars];
  }

  /** Reads the stream until its end. */
  void read(InputStream bytes) throws IOException {
    var reader = new InputStreamReader(bytes, StandardCharsets.UTF_8);
    var chunk = new char[CHUNK];
    for (var count = reader.read(chunk); count >= 0; count = reader.read(chunk)) {
      append(chunk, count);
    }
  }

  private synchronized void append(char[] chunk, int count) {
    var first = Math.min(count, headChars - head.length());
    head.append(chunk, 0, first);
    keepTail(chunk, Math.max(first, count - tail.length), count);
    total += count;
  }

  /** The tail is a ring buffer: character n after the head is at index n modulo its length. */
  private void keepTail(char[] chunk, int from, int to) {
    if (from < to) {
      var at = (int) ((total - headChars + from) % tail.length);
      var untilWrap = Math.min(to - from, tail.length - at);
      System.arraycopy(chunk, from, tail, at, untilWrap);
      System.arraycopy(chunk, from + untilWrap, tail, 0, to - from - untilWrap);
    }
  }

  /** Returns the kept text, with a note where text is missing. */
  synchronized String text() {
    var rest = total - head.length();
    if (rest <= tail.length) {
      return head + tail((int) rest);
    }
    var start = TextCut.wholeStart(tail(tail.length));
    var end = TextCut.wholeEnd(head.toString());
    var omitted = total - start.length() - end.length();
    return "%s\n… (%d characters left out) …\n%s"
        .formatted(Secrets.maskedHead(end), omitted, Secrets.maskedTail(start));
  }

  /** Returns the text since the previous call, at most its last {@code max} characters. */
  synchronized String unreported(int max) {
    var count = (int) Math.min(max, total - reported);
    reported = total;
    var kept = head + tail((int) Math.min(total - head.length(), tail.length));
    return TextCut.tail(kept, count);
  }

  private String tail(int count) {
    var last = new StringBuilder(count);
    for (var number = total - headChars - count; last.length() < count; number++) {
      last.append(tail[(int) (number % tail.length)]);
    }
    return last.toString();
  }
}
