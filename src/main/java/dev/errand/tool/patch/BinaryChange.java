package dev.errand.tool.patch;

import dev.errand.tool.patch.Patch.UnusablePatch;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The new content of a binary file, whole or as a delta to the old content: git's base 85, then
 * zlib.
 *
 * @param size of the inflated data
 */
record BinaryChange(boolean delta, int size, List<String> lines) {

  static final int MAX_BYTES = 10 * 1024 * 1024;

  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
  private static final int BASE = 85;
  private static final int MOST_COPIED = 0x10000;

  /** Returns the new content. */
  byte[] applyTo(byte[] before) {
    var data = inflated();
    return delta ? new Delta(data, before).result() : data;
  }

  private byte[] inflated() {
    var inflater = new Inflater();
    try {
      inflater.setInput(deflated());
      var data = new byte[size];
      var length = 0;
      while (length < size && !inflater.finished()) {
        var read = inflater.inflate(data, length, size - length);
        if (read == 0) {
          throw corrupt();
        }
        length += read;
      }
      if (length < size) {
        throw corrupt();
      }
      return data;
    } catch (DataFormatException fault) {
      throw corrupt();
    } finally {
      inflater.end();
    }
  }

  private byte[] deflated() {
    var bytes = new ByteArrayOutputStream();
    for (var line : lines) {
      var length = line.isEmpty() ? 0 : length(line.charAt(0));
      if (length == 0 || line.length() != 1 + (length + 3) / 4 * 5) {
        throw corrupt();
      }
      for (int at = 1, left = length; left > 0; at += 5, left -= 4) {
        var value = 0L;
        for (var digit : line.substring(at, at + 5).toCharArray()) {
          var number = DIGITS.indexOf(digit);
          if (number < 0) {
            throw corrupt();
          }
          value = value * BASE + number;
        }
        for (int i = 0; i < Math.min(4, left); i++) {
          bytes.write((int) (value >> (24 - 8 * i)));
        }
      }
    }
    return bytes.toByteArray();
  }

  private static int length(char letter) {
    if (letter >= 'A' && letter <= 'Z') {
      return letter - 'A' + 1;
    }
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 27 : 0;
  }

  /** Git's delta: copies of the old content and new bytes, after the sizes of both contents. */
  private static final class Delta {
    private final byte[] data;
    private final byte[] before;
    private int at;

    Delta(byte[] data, byte[] before) {
      this.data = data;
      this.before = before;
    }

    byte[] result() {
      if (number() != before.length) {
        throw corrupt();
      }
      var size = number();
      if (size > MAX_BYTES) {
        throw new UnusablePatch("a binary file would have more than 10 MB");
      }
      var result = new ByteArrayOutputStream((int) size);
      while (at < data.length) {
        var code = next();
        if ((code & 0x80) != 0) {
          copy(code, result);
        } else {
          write(data, at, code, result);
          at += code;
        }
        if (result.size() > size) {
          throw corrupt();
        }
      }
      if (result.size() != size) {
        throw corrupt();
      }
      return result.toByteArray();
    }

    private void copy(int code, ByteArrayOutputStream result) {
      var from = 0;
      var count = 0;
      for (int i = 0; i < 7; i++) {
        if ((code & 1 << i) == 0) {
          continue;
        }
        if (i < 4) {
          from |= next() << 8 * i;
        } else {
          count |= next() << 8 * (i - 4);
        }
      }
      write(before, from, count == 0 ? MOST_COPIED : count, result);
    }

    private static void write(byte[] source, int from, int count, ByteArrayOutputStream result) {
      if (count == 0 || from < 0 || from > source.length - count) {
        throw corrupt();
      }
      result.writeBytes(Arrays.copyOfRange(source, from, from + count));
    }

    private long number() {
      var number = 0L;
      for (int shift = 0; shift < 63; shift += 7) {
        var octet = next();
        number |= (long) (octet & 0x7f) << shift;
        if ((octet & 0x80) == 0) {
          return number;
        }
      }
      throw corrupt();
    }

    private int next() {
      if (at >= data.length) {
        throw corrupt();
      }
      return data[at++] & 0xff;
    }
  }

  private static UnusablePatch corrupt() {
    return new UnusablePatch("the data of a binary file is damaged");
  }
}
