package dev.errand.chaos;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Replaces a text in the constants of a compiled class (JVM specification, 4.4). */
final class ClassConstants {

  private static final int HEADER_BYTES = 8;
  private static final int UTF8 = 1;

  private ClassConstants() {}

  /**
   * Returns the class with {@code text} replaced in each constant that contains it.
   *
   * @throws IllegalArgumentException if no constant contains the text
   */
  static byte[] exchange(byte[] compiled, String text, String replacement) throws IOException {
    var in = new DataInputStream(new ByteArrayInputStream(compiled));
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.write(in.readNBytes(HEADER_BYTES));
    int count = in.readUnsignedShort();
    out.writeShort(count);
    var exchanged = 0;
    for (int index = 1; index < count; index++) {
      int tag = in.readUnsignedByte();
      out.writeByte(tag);
      if (tag == UTF8) {
        var constant = in.readUTF();
        exchanged += constant.contains(text) ? 1 : 0;
        out.writeUTF(constant.replace(text, replacement));
      } else {
        out.write(in.readNBytes(length(tag)));
        index += takesTwo(tag) ? 1 : 0;
      }
    }
    if (exchanged == 0) {
      throw new IllegalArgumentException("no constant contains: " + text);
    }
    in.transferTo(out);
    return bytes.toByteArray();
  }

  private static boolean takesTwo(int tag) {
    return tag == 5 || tag == 6;
  }

  private static int length(int tag) {
    return switch (tag) {
      case 7, 8, 16, 19, 20 -> 2;
      case 15 -> 3;
      case 3, 4, 9, 10, 11, 12, 17, 18 -> 4;
      case 5, 6 -> 8;
      default -> throw new IllegalArgumentException("unknown constant: " + tag);
    };
  }
}
