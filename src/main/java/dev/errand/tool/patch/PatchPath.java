package dev.errand.tool.patch;

import dev.errand.tool.file.Workspace;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The paths in the headers of a patch: quoted like strings in C if they contain odd characters. */
final class PatchPath {

  private PatchPath() {}

  /**
   * Reads {@code a/path b/path}; both are the same path. Those of a renamed file differ; they are
   * read from other headers, and the result is the second one.
   */
  static String both(String header) {
    if (header.startsWith("\"") || header.endsWith("\"")) {
      var second = header.endsWith("\"") ? header.lastIndexOf(" \"b/") : header.lastIndexOf(" b/");
      return second < 0 ? fail(header) : stripped(header.substring(second + 1));
    }
    var middle = header.length() / 2;
    var isSame =
        header.length() % 2 == 1
            && header.charAt(middle) == ' '
            && header.substring(0, middle).startsWith("a/")
            && header.substring(middle + 1).startsWith("b/")
            && header.substring(2, middle).equals(header.substring(middle + 3));
    if (isSame) {
      return checked(decoded(header.substring(2, middle)));
    }
    var second = header.lastIndexOf(" b/");
    return second < 0 ? fail(header) : stripped(header.substring(second + 1));
  }

  private static String stripped(String prefixed) {
    var path = decoded(prefixed);
    return path.startsWith("b/") ? checked(path.substring(2)) : fail(prefixed);
  }

  /** Reads the path of a rename or copy. */
  static String one(String header) {
    return checked(decoded(header));
  }

  private static String decoded(String text) {
    var bytes = text.startsWith("\"") ? unquoted(text) : text.getBytes(StandardCharsets.ISO_8859_1);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException fault) {
      return fail(text);
    }
  }

  private static byte[] unquoted(String text) {
    var bytes = new ByteArrayOutputStream();
    var end = text.length() - 1;
    if (end < 1 || text.charAt(end) != '"') {
      return failed(text);
    }
    for (int at = 1; at < end; at++) {
      var letter = text.charAt(at);
      if (letter != '\\') {
        bytes.write(letter);
        continue;
      }
      at++;
      var escape = at < end ? text.charAt(at) : '?';
      var plain = "abtnvfr\"\\".indexOf(escape);
      if (plain >= 0) {
        bytes.write("\u0007\b\t\n\u000b\f\r\"\\".charAt(plain));
      } else if (at + 3 <= end && text.substring(at, at + 3).matches("[0-3][0-7][0-7]")) {
        bytes.write(Integer.parseInt(text.substring(at, at + 3), 8));
        at += 2;
      } else {
        return failed(text);
      }
    }
    return bytes.toByteArray();
  }

  /** A path never leaves the directory and never leads into a directory of git. */
  private static String checked(String path) {
    for (var name : path.split("/", -1)) {
      if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\0') >= 0) {
        return fail(path);
      }
      if (Workspace.isOfGit(name)) {
        throw new UnusablePatch(PatchReader.shown(path) + " lies in a directory of git");
      }
    }
    return path;
  }

  private static String fail(String path) {
    throw new UnusablePatch(PatchReader.shown(path) + " is no path of a file in the workspace");
  }

  private static byte[] failed(String path) {
    throw new UnusablePatch(PatchReader.shown(path) + " is no path of a file in the workspace");
  }
}
