package dev.errand.tool.file;

import java.util.Arrays;
import java.util.HexFormat;

/** The kind of a binary file, detected from its first bytes. */
public enum BinaryKind {
  PNG("PNG image", 0, "89504e47"),
  JPEG("JPEG image", 0, "ffd8ff"),
  GIF("GIF image", 0, "47494638"),
  WEBP("WebP image", 8, "57454250"),
  ICON("icon", 0, "00000100"),
  TIFF("TIFF image", 0, "49492a00"),
  PDF("PDF document", 0, "25504446"),
  ZIP("ZIP archive (or a file made of one: JAR, DOCX, XLSX)", 0, "504b0304"),
  GZIP("gzip archive", 0, "1f8b"),
  XZ("xz archive", 0, "fd377a585a"),
  ZSTANDARD("Zstandard archive", 0, "28b52ffd"),
  TAR("tar archive", 257, "7573746172"),
  ELF("ELF executable", 0, "7f454c46"),
  WINDOWS("Windows executable", 0, "4d5a"),
  CLASS("Java class", 0, "cafebabe"),
  WASM("WebAssembly module", 0, "0061736d"),
  SQLITE("SQLite database", 0, "53514c69746520666f726d61742033"),
  UTF_32("UTF-32 text", 0, "fffe0000"),
  OTHER("binary data", 0, "");

  private final String description;
  private final int offset;
  private final byte[] signature;

  BinaryKind(String description, int offset, String signature) {
    this.description = description;
    this.offset = offset;
    this.signature = HexFormat.of().parseHex(signature);
  }

  public static BinaryKind of(byte[] head) {
    return Arrays.stream(values()).filter(kind -> kind.matches(head)).findFirst().orElse(OTHER);
  }

  public String description() {
    return description;
  }

  /**
   * Returns whether text never starts with this signature. Files of other kinds contain a NUL early
   * on.
   */
  public boolean isNeverText() {
    return this == PDF || HexFormat.of().formatHex(signature).matches("(..)*?(0[0-8]|[89a-f].).*");
  }

  private boolean matches(byte[] head) {
    var end = offset + signature.length;
    return head.length >= end && Arrays.equals(head, offset, end, signature, 0, signature.length);
  }
}
