package dev.errand.worktree;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The names of files, as git lists them. The file system has bytes for names; only those that are
 * UTF-8 can be opened here.
 *
 * @param names sorted; can be changed
 * @param others the number of names that are not UTF-8
 */
record FileNames(SortedSet<String> names, int others) {

  /** Reads names, each of which ends with NUL. A name may occur more than once. */
  static FileNames of(byte[] listed) {
    var names = new TreeSet<String>();
    var others = new TreeSet<String>();
    // Each byte is one character, so that bytes that are not UTF-8 stay apart.
    for (var name : new String(listed, ISO_8859_1).split("\0")) {
      try {
        names.add(UTF_8.newDecoder().decode(ByteBuffer.wrap(name.getBytes(ISO_8859_1))).toString());
      } catch (CharacterCodingException notUtf8) {
        others.add(name);
      }
    }
    names.remove("");
    return new FileNames(names, others.size());
  }

  /** Returns what is missing because of its name, as a sentence. */
  Optional<String> note() {
    return others == 0
        ? Optional.empty()
        : Optional.of("Files whose names are not UTF-8 are not copied: " + others + ".");
  }
}
