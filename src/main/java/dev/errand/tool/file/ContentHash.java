package dev.errand.tool.file;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Identifies the content of a file.
 *
 * @param sha256 in hexadecimal
 */
public record ContentHash(String sha256) {

  static ContentHash of(byte[] content) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(content);
      return new ContentHash(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible); // every Java platform provides it
    }
  }
}
