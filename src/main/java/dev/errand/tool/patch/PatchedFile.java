package dev.errand.tool.patch;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The change of one file by a patch.
 *
 * @param from the path of the content that is changed; empty if the file is new
 * @param to the path of the result; empty if the file is deleted
 * @param keepsFrom whether {@code from} remains: the file is changed in place, or copied
 * @param executable whether the result is executable; empty if the patch does not change that
 * @param idBefore the id that git gives to the content before; empty if the content is not changed
 */
public record PatchedFile(
    Optional<String> from,
    Optional<String> to,
    boolean keepsFrom,
    Optional<Boolean> executable,
    Optional<BlobId> idBefore,
    Optional<BlobId> idAfter,
    ContentChange body) {

  /** The change of the content. */
  sealed interface ContentChange {}

  /** The content is not changed. */
  record NoChange() implements ContentChange {}

  /** Parts of a text are replaced. */
  record TextHunks(List<Hunk> hunks) implements ContentChange {}

  /** The whole content is replaced. */
  record Binary(BinaryChange change) implements ContentChange {}

  /** Returns the path by which results name the file. */
  public String path() {
    return to.or(() -> from).orElseThrow();
  }

  /** Returns whether this is the content after the change. */
  boolean hasMade(byte[] content) {
    return idAfter.filter(id -> id.isOf(content)).isPresent();
  }

  /** Returns the kind of the change. */
  public String status() {
    if (from.isEmpty()) {
      return "added";
    }
    if (to.isEmpty()) {
      return "deleted";
    }
    return from.equals(to) ? "modified" : keepsFrom ? "copied" : "renamed";
  }

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
}
