package dev.errand.tool.patch;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The id that git gives to a content: 40 hexadecimal digits, or 64 in a SHA-256 repository. */
record BlobId(String hex) {

  private static final int SHA_1_DIGITS = 40;

  boolean isOf(byte[] content) {
    try {
      var digest = MessageDigest.getInstance(hex.length() == SHA_1_DIGITS ? "SHA-1" : "SHA-256");
      digest.update(("blob " + content.length + "\0").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(digest.digest(content)).equals(hex);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible); // every Java platform provides both
    }
  }
}
