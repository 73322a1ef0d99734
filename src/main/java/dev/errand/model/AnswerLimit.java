package dev.errand.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.ModelException.Code;
import dev.errand.model.RequestChange.LeaveOut;
import dev.errand.model.RequestChange.Lower;
import dev.errand.model.RequestChange.Rename;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The content of a refusal about the largest number of tokens that a request allows the answer. */
final class AnswerLimit {

  private static final List<String> FIELDS =
      List.of("max_completion_tokens", "max_tokens", "max_output_tokens", "options.num_predict");

  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)max_(?:completion_|output_|new_)?tokens|maxOutputTokens|maximum tokens you requested|num_predict"
              + "|(?:completion|output) tokens|(?:in|for) the completion");

  private static final Pattern UNKNOWN =
      Pattern.compile(
          "(?i)unsupported|not supported|does(?: not|n't) support|unknown|unrecognized|unexpected|extra[_ ]|not (?:permitted|allowed)|cannot find field|no such|deprecated");

  private static final String NUMBER = "[`'\"]?(\\d{1,3}(?:,\\d{3})+|\\d{1,9})";

  /** DeepSeek and DashScope: "[1, 8192]"; OpenAI: "at most"; Anthropic: "32000 > 8192"; others. */
  private static final Pattern MOST =
      Pattern.compile(
          "(?i)\\[ ?\\d+ ?, ?(\\d{1,9}) ?\\]|\\d ?> ?(\\d{1,9})\\b|(?:at most|less than or equal to|<=|≤|no more than|not exceed|limit(?:ed)? (?:of|to|is)"
              + "|maximum (?:value |allowed )?(?:of|is)|lower than or equal to|between \\d+ and|up to) "
              + NUMBER);

  /**
   * Gemini: "from 1 (inclusive) to 65537 (exclusive)"; Bedrock: "lower than 4096" says the most.
   */
  private static final Pattern BELOW =
      Pattern.compile("(?i)(?:less than " + NUMBER + "|to " + NUMBER + " \\(exclusive\\))");

  /** The window, in refusals of more tokens than it has. */
  private static final Pattern WINDOW =
      Pattern.compile(
          "(?i)(?:context (?:length|window|size)|model length)(?: is| of)? \\(?(\\d{1,9})|context limit: \\d+ \\+ \\d+ > (\\d{1,9})");

  private AnswerLimit() {}

  static Optional<RequestChange> in(String words, ObjectNode request) {
    if (!NAMED.matcher(words).find()) {
      return Optional.empty();
    }
    return FIELDS.stream()
        .filter(field -> value(request, field) > 0)
        .findFirst()
        .flatMap(field -> change(words, request, field));
  }

  private static long value(ObjectNode request, String field) {
    return RequestFields.owner(request, field)
        .map(owner -> owner.path(RequestFields.name(field)).asLong())
        .orElse(0L);
  }

  private static Optional<RequestChange> change(String words, ObjectNode request, String field) {
    var given = value(request, field);
    if (RefusalTable.find(words).filter(Code.MODEL_CONTEXT_EXCEEDED::equals).isPresent()) {
      return neverFits(words, field, given);
    }
    var most = most(words, given);
    if (most.isPresent()) {
      return Optional.of(new Lower(field, most.getAsLong()));
    }
    return UNKNOWN.matcher(words).find() && isNamedFirst(words, RequestFields.name(field))
        ? otherName(words, request, field)
        : Optional.empty();
  }

  /** Tells whether the name comes before another one, which is to be used instead. */
  private static boolean isNamedFirst(String words, String name) {
    var named = NAMED.matcher(words);
    return named.find() && named.group().equals(name);
  }

  /** Does not depend on the conversation, which grows: it is shortened if this does not help. */
  private static Optional<RequestChange> neverFits(String words, String field, long given) {
    var window = WINDOW.matcher(words);
    if (!window.find()) {
      return Optional.empty();
    }
    var tokens = Long.parseLong(window.group(1) == null ? window.group(2) : window.group(1));
    return given > tokens / 2 && tokens >= 4
        ? Optional.of(new Lower(field, tokens / 4))
        : Optional.empty();
  }

  private static OptionalLong most(String words, long given) {
    var below = BELOW.matcher(words);
    if (below.find()) {
      return below(number(below.group(1) == null ? below.group(2) : below.group(1)) - 1, given);
    }
    var most = MOST.matcher(words);
    while (most.find()) {
      for (int group = 1; group <= most.groupCount(); group++) {
        if (most.group(group) != null) {
          var named = below(number(most.group(group)), given);
          if (named.isPresent()) {
            return named;
          }
        }
      }
    }
    return OptionalLong.empty();
  }

  private static OptionalLong below(long named, long given) {
    return named > 0 && named < given ? OptionalLong.of(named) : OptionalLong.empty();
  }

  private static long number(String digits) {
    return Long.parseLong(digits.replace(",", ""));
  }

  /** Anthropic's API has no other name, and requires this one. */
  private static Optional<RequestChange> otherName(String words, ObjectNode request, String field) {
    if (field.contains(".")) {
      return Optional.of(new LeaveOut(field));
    } else if (!field.equals("max_tokens")) {
      return Optional.of(new Rename(field, "max_tokens"));
    }
    var isAnthropic = request.has("system") || request.at("/tools/0").has("input_schema");
    if (isAnthropic) {
      return Optional.empty();
    }
    var isResponses =
        words.contains("max_output_tokens") && !words.contains("max_completion_tokens");
    return Optional.of(
        new Rename(field, isResponses ? "max_output_tokens" : "max_completion_tokens"));
  }
}
