package dev.errand.tool.file;

import dev.errand.tool.ToolContext;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Stores what a session knows about the files of its workspace: the content that it last saw, and
 * the change that a call is about to make. Kept as long as the session. Paths are relative to the
 * workspace with all links resolved. Every method is short and keeps no resource. A write by a run
 * that has lost its session throws and changes nothing.
 */
public interface FileMemory {

  /** Records that the session has seen this content of the file. */
  void saw(ToolContext context, String path, ContentHash content);

  /** Returns the content that the session last saw; empty if it has never seen the file. */
  Optional<ContentHash> lastSeen(ToolContext context, String path);

  /** Records the change that this call is about to make. */
  void plan(ToolContext context, FileChange change);

  /** Returns the change that an earlier attempt of this call recorded; empty if there is none. */
  Optional<FileChange> planned(ToolContext context);

  /**
   * The change that a call makes to one file.
   *
   * @param path relative to the workspace
   * @param before the content that is replaced; empty if the file does not exist yet
   */
  record FileChange(String path, Optional<ContentHash> before, ContentHash after) {}

  /**
   * Identifies the content of a file.
   *
   * @param sha256 in hexadecimal
   */
  record ContentHash(String sha256) {

    static ContentHash of(byte[] content) {
      try {
        var digest = MessageDigest.getInstance("SHA-256").digest(content);
        return new ContentHash(HexFormat.of().formatHex(digest));
      } catch (NoSuchAlgorithmException impossible) {
        throw new AssertionError(impossible); // every Java platform provides it
      }
    }
  }
}
