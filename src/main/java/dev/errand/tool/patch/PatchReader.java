package dev.errand.tool.patch;

import dev.errand.tool.file.ShownPath;
import dev.errand.tool.patch.Hunk.HunkLines;
import dev.errand.tool.patch.PatchedFile.BlobId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a patch line by line. Lines are bytes as ISO 8859-1, so that any encoding is kept. */
final class PatchReader {

  private static final int MAX_FILES = 2_000;

  private static final String START = "diff --git ";
  private static final Pattern HUNK =
      Pattern.compile(
          "@@ -(\\d{1,9})(?:,(\\d{1,9}))? \\+(\\d{1,9})(?:,(\\d{1,9}))? @@.*", Pattern.DOTALL);
  private static final Pattern INDEX =
      Pattern.compile("index ([0-9a-f]{40,64})\\.\\.([0-9a-f]{40,64})(?: (\\d+))?");
  private static final Pattern BINARY = Pattern.compile("(literal|delta) (\\d{1,9})");

  /** The headers before the body that carry a value. */
  private static final Pattern HEADER =
      Pattern.compile(
          "(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename"
              + " to|similarity index|dissimilarity index) (.*)",
          Pattern.DOTALL);

  private final List<String> lines;
  private int at;

  PatchReader(byte[] bytes) {
    lines = TextMerge.lines(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  static String shown(String path) {
    return ShownPath.of(path);
  }

  List<PatchedFile> files() {
    var files = new ArrayList<PatchedFile>();
    while (at < lines.size()) {
      if (!line().startsWith(START)) {
        throw damaged();
      }
      files.add(file());
      if (files.size() > MAX_FILES) {
        throw new UnusablePatch("it changes more than %d files".formatted(MAX_FILES));
      }
    }
    return files;
  }

  private PatchedFile file() {
    var name = PatchPath.both(line().substring(START.length()));
    at++;
    var headers = headers();
    headers.forEach((header, value) -> {
      if (header.endsWith("mode")) {
        checkMode(value, name);
      }
    });
    var ids = ids(name);
    var from = Optional.ofNullable(headers.get("rename from")).or(() -> get(headers, "copy from"));
    var to = Optional.ofNullable(headers.get("rename to")).or(() -> get(headers, "copy to"));
    var isNew = headers.containsKey("new file mode");
    var isDeleted = headers.containsKey("deleted file mode");
    if (from.isPresent() != to.isPresent() || isNew && (isDeleted || from.isPresent())) {
      throw damaged();
    }
    return new PatchedFile(
        isNew ? Optional.empty() : Optional.of(from.map(PatchPath::one).orElse(name)),
        isDeleted ? Optional.empty() : Optional.of(to.map(PatchPath::one).orElse(name)),
        !isDeleted && !headers.containsKey("rename from"),
        get(headers, "new mode").or(() -> get(headers, "new file mode")).map("100755"::equals),
        ids.map(found -> new BlobId(found.group(1))),
        ids.map(found -> new BlobId(found.group(2))),
        body(name, ids.isPresent()));
  }

  private static Optional<String> get(Map<String, String> headers, String name) {
    return Optional.ofNullable(headers.get(name));
  }

  private Map<String, String> headers() {
    var headers = new HashMap<String, String>();
    for (var header = HEADER.matcher(line()); header.matches(); header = HEADER.matcher(line())) {
      headers.put(header.group(1), header.group(2));
      at++;
    }
    return headers;
  }

  private Optional<Matcher> ids(String name) {
    if (!line().startsWith("index ")) {
      return Optional.empty();
    }
    var index = INDEX.matcher(line());
    if (!index.matches()) {
      throw damaged();
    }
    Optional.ofNullable(index.group(3)).ifPresent(mode -> checkMode(mode, name));
    at++;
    return Optional.of(index);
  }

  private static void checkMode(String mode, String name) {
    switch (mode) {
      case "100644", "100755" -> {}
      case "120000" -> throw new UnusablePatch(shown(name) + " is a symbolic link");
      case "160000" -> throw new UnusablePatch(shown(name) + " is a submodule");
      default -> throw new UnusablePatch(shown(name) + " is no ordinary file");
    }
  }

  private PatchedFile.ContentChange body(String name, boolean hasIds) {
    if (line().startsWith("Binary files ")) {
      throw new UnusablePatch("the content of the binary file " + shown(name) + " is missing");
    }
    if (line().equals("GIT binary patch")) {
      at++;
      var forward = binary();
      if (BINARY.matcher(line()).matches()) {
        var ignored = binary(); // the way back
      }
      return new PatchedFile.Binary(forward);
    }
    if (!line().startsWith("--- ")) {
      return new PatchedFile.NoChange();
    }
    at++;
    if (!line().startsWith("+++ ") || !hasIds) {
      throw damaged();
    }
    at++;
    var hunks = new ArrayList<Hunk>();
    while (line().startsWith("@@ ")) {
      hunks.add(hunk(hunks.size() + 1));
    }
    return new PatchedFile.TextHunks(hunks);
  }

  private BinaryChange binary() {
    var header = BINARY.matcher(line());
    if (!header.matches() || Integer.parseInt(header.group(2)) > BinaryChange.MAX_BYTES) {
      throw damaged();
    }
    at++;
    var first = at;
    while (!line().isEmpty()) {
      at++;
    }
    var data = String.join("", lines.subList(first, at));
    at++;
    return new BinaryChange(
        header.group(1).equals("delta"), Integer.parseInt(header.group(2)), data);
  }

  private Hunk hunk(int number) {
    var header = HUNK.matcher(lines.get(at));
    if (!header.matches()) {
      throw damaged();
    }
    at++;
    var start = Integer.parseInt(header.group(1));
    var before = count(header.group(2));
    var after = count(header.group(4));
    var content = new HunkLines();
    while (content.before().size() < before || content.after().size() < after) {
      content.add(next());
    }
    if (line().startsWith("\\")) {
      content.add(next());
    }
    if (content.before().size() != before || content.after().size() != after) {
      throw damaged();
    }
    return content.hunk(
        number, index(start, before), index(Integer.parseInt(header.group(3)), after));
  }

  /** Line numbers begin with 1; that of no lines is the number of the line before. */
  private static int index(int line, int count) {
    return count == 0 ? line : Math.max(0, line - 1);
  }

  private static int count(String digits) {
    return digits == null ? 1 : Integer.parseInt(digits);
  }

  /** Returns the current line without its end; empty after the last one. */
  private String line() {
    if (at >= lines.size()) {
      return "";
    }
    var line = lines.get(at);
    return line.endsWith("\n") ? line.substring(0, line.length() - 1) : line;
  }

  private String next() {
    if (at >= lines.size()) {
      throw damaged();
    }
    return lines.get(at++);
  }

  private UnusablePatch damaged() {
    return new UnusablePatch("it is damaged at line " + (at + 1));
  }
}
