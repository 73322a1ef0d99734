package dev.errand.tool.file;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Tells whether two contents of a file are the same.
 *
 * @param sha256 in hexadecimal
 */
public record ContentHash(String sha256) {

  static ContentHash of(byte[] content) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(content);
      return new ContentHash(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible); // every Java platform has it
    }
  }
}
