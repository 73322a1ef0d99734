package dev.errand.tool;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What a file without readable text is, told by its first bytes. */
enum BinaryKind {
  PNG("PNG image", "\u0089PNG"),
  JPEG("JPEG image", "\u00ff\u00d8\u00ff"),
  GIF("GIF image", "GIF8"),
  PDF("PDF document", "%PDF"),
  ZIP("ZIP archive (or a file made of one: JAR, DOCX, XLSX)", "PK\u0003\u0004"),
  GZIP("gzip archive", "\u001f\u008b"),
  ELF("ELF executable", "\u007fELF"),
  CLASS("Java class", "\u00ca\u00fe\u00ba\u00be"),
  SQLITE("SQLite database", "SQLite format 3"),
  UTF16_LITTLE_ENDIAN("UTF-16 text", "\u00ff\u00fe"),
  UTF16_BIG_ENDIAN("UTF-16 text", "\u00fe\u00ff"),
  OTHER("binary data", "");

  private final String description;
  private final byte[] beginning;

  BinaryKind(String description, String beginning) {
    this.description = description;
    this.beginning = beginning.getBytes(StandardCharsets.ISO_8859_1);
  }

  static BinaryKind of(byte[] head) {
    return Arrays.stream(values()).filter(kind -> kind.begins(head)).findFirst().orElse(OTHER);
  }

  String description() {
    return description;
  }

  private boolean begins(byte[] head) {
    return head.length >= beginning.length
        && Arrays.equals(head, 0, beginning.length, beginning, 0, beginning.length);
  }
}
