package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.FileReplacer.Rewritten;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The text of a file that exists. A change keeps its encoding, byte order mark and line ends; what
 * they cannot express is refused, so that no character is lost silently.
 */
final class StoredText {

  private static final String REPLACEMENT = "\uFFFD";
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final WorkspacePath file;
  private final byte[] content;
  private final TextEncoding encoding;

  StoredText(WorkspacePath file, byte[] content) {
    this.file = file;
    this.content = content;
    this.encoding = TextEncoding.of(content, true);
  }

  /** Returns the content of a new file. */
  static byte[] ofNewFile(WorkspacePath file, String text) {
    return new StoredText(file, new byte[0]).encoded("content", text);
  }

  /** Replaces parts of the text; every other byte of the file remains. */
  Rewritten edited(TextEdit edit) {
    var kind = BinaryKind.of(content);
    if (TextFile.isBinary(content)) {
      throw new PathRefused(
          file.subject(),
          "is a binary file (%s) and cannot be edited".formatted(kind.description()));
    }
    encoded("new_string", edit.newText());
    var edited = edit(edit);
    return new Rewritten(
        edited.content(),
        edited.count() == 1
            ? "Edited %s.".formatted(file.shown())
            : "Edited %s in %d places.".formatted(file.shown(), edited.count()));
  }

  private record EditedBytes(byte[] content, long count) {}

  private EditedBytes edit(TextEdit edit) {
    if (encoding.isDamaged()) {
      var bytes = edit.ofBytes().applyTo(new String(content, StandardCharsets.ISO_8859_1));
      return new EditedBytes(bytes.text().getBytes(StandardCharsets.ISO_8859_1), bytes.count());
    }
    var text = encoding.decodeExactly(content).orElseThrow(this::inexact);
    var edited = edit.applyTo(text);
    return new EditedBytes(encoded("new_string", edited.text()), edited.count());
  }

  private PathRefused inexact() {
    return new PathRefused(
        file.subject(),
        "has bytes that %s does not express exactly: an edit would change them, so it was not made; use another program, or replace the whole content with write"
            .formatted(encoding.name()));
  }

  /** Replaces the whole text. */
  Rewritten replaced(String text) {
    if (TextFile.isBinary(content)) {
      return replacedBy(
          ofNewFile(file, text), List.of("It was binary data and is UTF-8 text now."));
    }
    var isExact = encoding.decodeExactly(content).isPresent();
    if (!isExact && text.contains(REPLACEMENT)) {
      throw new ToolFailure(
          "content: contains %s, which read shows for bytes of %s that are not valid %s; they would be lost. Leave it out, or change the other parts with edit"
              .formatted(REPLACEMENT, file.shown(), encoding.charset().name()));
    }
    var ends = LineEnds.of(encoding.decode(content));
    var lines = withLineEnds(text, ends);
    var remarks = new ArrayList<String>();
    if (!isExact) {
      remarks.add("Bytes that were not valid %s are gone.".formatted(encoding.charset().name()));
    }
    if (ends.areMixed()) {
      remarks.add("Its line ends were mixed; all are %s now.".formatted(ends.name()));
    }
    remarks.addAll(kept(ends, lines.equals(text)));
    return replacedBy(encoded("content", lines), remarks);
  }

  private String withLineEnds(String text, LineEnds ends) {
    var unmarked =
        encoding.isMarked() && text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    return ends.isEmpty() ? unmarked : LineEnds.lineFeeds(unmarked).replace("\n", ends.usual());
  }

  private List<String> kept(LineEnds ends, boolean asWritten) {
    var kept = new ArrayList<String>();
    if (!encoding.charset().equals(StandardCharsets.UTF_8) || encoding.isMarked()) {
      kept.add(encoding.name());
    }
    if (!asWritten && !ends.isEmpty() && !ends.areMixed()) {
      kept.add(ends.name() + " line ends");
    }
    return kept.isEmpty() ? List.of() : List.of("Kept: " + String.join(", ", kept) + ".");
  }

  private Rewritten replacedBy(byte[] bytes, List<String> remarks) {
    var done = "Replaced the content of %s (%d bytes).".formatted(file.shown(), bytes.length);
    return new Rewritten(bytes, remarks.isEmpty() ? done : done + " " + String.join(" ", remarks));
  }

  /**
   * @param field the parameter that the error names
   */
  private byte[] encoded(String field, String text) {
    return encoding.encode(text).orElseThrow(() -> missing(field, text));
  }

  private ToolFailure missing(String field, String text) {
    var encoder = encoding.charset().newEncoder();
    var character =
        text.codePoints()
            .mapToObj(Character::toString)
            .filter(one -> !encoder.canEncode(one))
            .findFirst()
            .orElse(REPLACEMENT);
    var code = character.codePointAt(0);
    if (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
      return new ToolFailure(
          "%s: contains U+%04X, which is half a character; write the whole character"
              .formatted(field, code));
    }
    return new ToolFailure(
        "%s: contains %s (U+%04X), which the encoding of %s, %s, does not have; write it with other characters, or first convert the file to UTF-8 (with bash: iconv -f %s -t UTF-8)"
            .formatted(
                field, character, code, file.shown(), encoding.name(), encoding.charset().name()));
  }
}
