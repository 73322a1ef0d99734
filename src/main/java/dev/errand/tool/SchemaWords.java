package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.TextCut;
import java.util.List;
import java.util.Optional;

/** Words in descriptions, in place of what cannot be said in a schema that providers accept. */
final class SchemaWords {

  /**
   * The longest description: the limit of OpenAI for those of tools. Those of parameters, for which
   * it has none, are kept as short.
   */
  static final int MAX_CHARS = 1_024;

  private static final int MAX_PATTERN = 200;

  private SchemaWords() {}

  static Optional<String> ofPattern(String pattern) {
    return pattern.equals(ParameterSchema.NOT_BLANK)
        ? Optional.empty() // each such text has a minimum length
        : Optional.of(
            "Must match the regular expression %s"
                .formatted(TextCut.withEllipsis(pattern, MAX_PATTERN)));
  }

  /** Sets the description, with these words at its end. */
  static void describe(ObjectNode schema, JsonNode description, List<String> words) {
    if (description.isMissingNode() && words.isEmpty()) {
      return;
    }
    schema.put("description", joined(description.asText(""), String.join("\n", words)));
  }

  /**
   * Returns a text and words after it, in at most 1,024 characters; the words take half of them at
   * most.
   */
  static String joined(String text, String words) {
    if (words.isBlank()) {
      return TextCut.words(text, MAX_CHARS);
    }
    var end = TextCut.words(words, MAX_CHARS / 2);
    var begin = TextCut.words(text.strip(), MAX_CHARS - end.length() - 1);
    return begin.isEmpty() ? end : begin + "\n" + end;
  }
}
