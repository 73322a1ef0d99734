package dev.errand.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * The lines of front matter, read as people write them: as YAML, or else each key with its lines on
 * its own, so that a text with {@code : } in it needs no quotes. A key that the reader knows is
 * never lost in a text: such a file is broken.
 */
final class FieldLines {

  /** A description is a text, whatever YAML would take it for. */
  private static final String TEXT = "description";

  private static final Pattern KEY =
      Pattern.compile("([\"']?)([\\w.-]+)\\1\\s*:(?:\\s+(.*))?", Pattern.DOTALL);

  /** A known key may have spaces in it, and none after the colon. */
  private static final Pattern KNOWN_KEY = Pattern.compile("([\"']?)(\\w[\\w .-]*?)\\1\\s*:(.*)");

  /** Matches what looks like a key in a line that continues a text. */
  private static final Pattern LIKE_KEY =
      Pattern.compile("\\s*[-*>+]?\\s*[\"'*_`]*(\\w[\\w .-]*?)[\"'*_`]*\\s*[:=].*");

  private final String file;
  private final int first;
  private final List<String> lines;
  private final Predicate<String> known;
  private final String indentation;
  private final boolean[] inExample;

  /**
   * @param first the line of the file in which they begin
   * @param known whether the reader knows a key
   */
  FieldLines(String file, int first, List<String> lines, Predicate<String> known) {
    this.file = file;
    this.first = first;
    this.lines = lines;
    this.known = known;
    this.indentation =
        lines.stream()
            .filter(line -> !isEmpty(line))
            .findFirst()
            .map(line -> line.substring(0, line.length() - line.stripLeading().length()))
            .orElse("");
    this.inExample = ExampleLines.of(lines);
  }

  /** A key at the beginning of a line, and what follows it there. */
  private record FieldStart(String name, String rest) {}

  /**
   * @throws BrokenFile a key cannot be read, or would be lost
   */
  List<YamlField> fields() {
    List<YamlField> fields;
    try {
      fields = YamlField.read(file, first, String.join("\n", lines));
    } catch (BrokenFile fault) {
      fields = new FieldLines(file, first, withoutTabs(), known).eachOnItsOwn(fault);
    }
    refuseLostKeys(fields);
    var texts = new ArrayList<YamlField>();
    for (int at = 0; at < fields.size(); at++) {
      var end = at + 1 < fields.size() ? fields.get(at + 1).line() - first : lines.size();
      texts.add(asText(fields.get(at), end));
    }
    return List.copyOf(texts);
  }

  private List<String> withoutTabs() {
    return lines.stream().map(line -> line.replace("\t", "  ")).toList();
  }

  private List<YamlField> eachOnItsOwn(BrokenFile fault) {
    var fields = new ArrayList<YamlField>();
    for (int at = 0, end; at < lines.size(); at = end) {
      end = at + 1;
      while (end < lines.size() && key(end).isEmpty()) {
        end++;
      }
      if (key(at).isPresent()) {
        fields.add(field(key(at).get(), at, end));
      } else if (lines.subList(at, end).stream().anyMatch(line -> !isEmpty(line))) {
        throw fault;
      }
    }
    return fields;
  }

  private YamlField field(FieldStart key, int at, int end) {
    try {
      var fields = YamlField.read(file, first + at, String.join("\n", lines.subList(at, end)));
      if (fields.size() == 1) {
        return fields.getFirst();
      }
      throw new BrokenFile(file, fields.getLast().line(), "is not a key that can be read");
    } catch (BrokenFile broken) {
      if (key.rest().isBlank() && !isText(key.name())) {
        throw broken;
      }
      return new YamlField(key.name(), first + at, text(key, at, end));
    }
  }

  /**
   * Returns the key that begins in a line; a line of an example only begins a key that is known.
   */
  private Optional<FieldStart> key(int at) {
    if (!lines.get(at).startsWith(indentation)) {
      return Optional.empty();
    }
    var line = lines.get(at).substring(indentation.length());
    var given = KNOWN_KEY.matcher(line);
    if (given.matches() && known.test(given.group(2))) {
      return Optional.of(new FieldStart(given.group(2), given.group(3)));
    }
    var other = KEY.matcher(line);
    return !inExample[at] && other.matches()
        ? Optional.of(
            new FieldStart(other.group(2), Optional.ofNullable(other.group(3)).orElse("")))
        : Optional.empty();
  }

  /** A known key can be lost in a text in quotes that are closed in a later line. */
  private void refuseLostKeys(List<YamlField> fields) {
    for (int at = 0; at < lines.size(); at++) {
      var line = first + at;
      var key = key(at).map(FieldStart::name).filter(known);
      if (key.isPresent() && fields.stream().noneMatch(field -> field.line() == line)) {
        var text = fields.stream().mapToInt(YamlField::line).filter(begin -> begin < line).max();
        throw new BrokenFile(
            file,
            line,
            "'%s' is part of the value that begins in line %d; close its quotes, or indent this line"
                .formatted(key.get(), text.orElse(first)));
      }
    }
  }

  /**
   * Returns the field with the text as it is written, where YAML would cut it or see something
   * else.
   */
  private YamlField asText(YamlField field, int end) {
    var at = field.line() - first;
    var key = key(at).filter(found -> found.name().equals(field.key()));
    var plain =
        field.value() instanceof ScalarNode scalar && scalar.getScalarStyle() == ScalarStyle.PLAIN;
    if (key.isEmpty() || field.value().getTag().equals(Tag.NULL)) {
      return field;
    }
    if (isText(field.key()) && (plain || !(field.value() instanceof ScalarNode))) {
      return new YamlField(field.key(), field.line(), text(key.get(), at, end));
    }
    if (plain) {
      refuseKeysIn(key.get(), at + 1, end);
    }
    return field;
  }

  private ScalarNode text(FieldStart key, int at, int end) {
    refuseKeysIn(key, at + 1, end);
    return PlainText.of(first + at, key.rest(), lines.subList(at + 1, end));
  }

  private void refuseKeysIn(FieldStart text, int from, int end) {
    for (int at = from; at < end; at++) {
      var like = LIKE_KEY.matcher(lines.get(at));
      if (!inExample[at] && like.matches() && known.test(like.group(1))) {
        throw new BrokenFile(
            file,
            first + at,
            "'%s' would be part of '%s'; begin it at the start of the line with a colon, or write the text below '%s: |'"
                .formatted(like.group(1), text.name(), text.name()));
      }
    }
  }

  private static boolean isText(String key) {
    return key.strip().equalsIgnoreCase(TEXT);
  }

  private static boolean isEmpty(String line) {
    return line.isBlank() || line.strip().startsWith("#");
  }
}
