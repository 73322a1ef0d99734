package dev.errand.model;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes reasoning from the text of an answer. Servers without a parser for the reasoning of their
 * model leave it there, between the marks of its chat template.
 *
 * <p>Marks count at the beginning of a line and outside of code. At the beginning of the text, the
 * closing mark may be missing, because the answer was cut in its reasoning, and so may the opening
 * one, because the template has put it into the request.
 */
final class ThinkTags {

  /**
   * The marks with which reasoning begins and ends.
   *
   * @param mayBeUnopened whether templates put the opening mark into the request
   */
  private record Marks(Pattern open, Pattern close, boolean mayBeUnopened) {

    static Marks tag(String name, boolean mayBeUnopened) {
      return new Marks(
          ignoringCase("<%s(?:\\s[^<>]{0,100})?>".formatted(name)),
          ignoringCase("</%s\\s*>".formatted(name)),
          mayBeUnopened);
    }

    static Marks of(String open, String close, boolean mayBeUnopened) {
      return new Marks(
          ignoringCase(Pattern.quote(open)), ignoringCase(Pattern.quote(close)), mayBeUnopened);
    }

    private static Pattern ignoringCase(String regex) {
      return Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
    }
  }

  private static final List<Marks> MARKS =
      List.of(
          // DeepSeek, Qwen, GLM, MiniMax
          Marks.tag("think", true),
          Marks.tag("thinking", true),
          // Gemma, Hermes
          Marks.tag("thoughts?", false),
          Marks.tag("reasoning", false),
          Marks.tag("reflection", false),
          Marks.tag("scratchpad", false),
          // ByteDance Seed
          Marks.tag("seed:think", true),
          // Kimi
          Marks.of("◁think▷", "◁/think▷", true),
          // Magistral
          Marks.of("[THINK]", "[/THINK]", true),
          // Command A, Apriel, Sky-T1
          Marks.of("<|START_THINKING|>", "<|END_THINKING|>", false),
          Marks.of("<|begin_of_thought|>", "<|end_of_thought|>", false),
          // gpt-oss: the channel of the answer ends that of the reasoning
          Marks.of("<|channel|>analysis<|message|>", "<|channel|>final<|message|>", false));

  /** Marks of gpt-oss around the answer itself. */
  private static final Pattern AROUND_ANSWER =
      Pattern.compile(
          "^\\s*(?:<\\|start\\|>assistant)?<\\|channel\\|>final<\\|message\\|>|<\\|(?:return|end)\\|>\\s*$");

  /** What may be the beginning of a mark. A tag has at most 100 characters of attributes. */
  private static final Pattern BEGUN_MARK =
      Pattern.compile("(?i)<[^>]{0,120}|<\\|.{0,45}|\\[[A-Z/]{0,8}|◁.{0,8}");

  private ThinkTags() {}

  /** Returns the answer without reasoning; the text itself if it contains none. */
  static String removed(String text) {
    return removed(text, true);
  }

  /**
   * Returns the beginning of an answer that is still arriving, as far as it is no reasoning. Only
   * reasoning without an opening mark cannot be told from an answer until its closing mark arrives.
   */
  static String begun(String text) {
    var words = removed(text, false);
    var mark = words.lastIndexOf('\n') + 1;
    while (mark < words.length() && Character.isWhitespace(words.charAt(mark))) {
      mark++;
    }
    var isMark = BEGUN_MARK.matcher(words).region(mark, words.length()).matches();
    var shown = isMark ? words.substring(0, mark) : words;
    return shown.isBlank() ? "" : shown;
  }

  private static String removed(String text, boolean isWhole) {
    if (text.indexOf('<') < 0 && text.indexOf('◁') < 0 && text.indexOf('[') < 0) {
      return text;
    }
    var rest = text;
    for (var marks : MARKS) {
      rest = removed(rest, marks, isWhole);
    }
    rest = AROUND_ANSWER.matcher(rest).replaceAll("");
    return rest.length() == text.length() ? text : rest.strip();
  }

  /**
   * Reads the text once, because a model may repeat a mark many times.
   *
   * @param isWhole whether reasoning that is still open is taken for a part of the answer
   */
  private static String removed(String text, Marks marks, boolean isWhole) {
    var given = marks.mayBeUnopened() ? withoutUnopened(text, marks) : text;
    var open = marks.open().matcher(given);
    var close = marks.close().matcher(given);
    var code = new CodeBlocks(given);
    var kept = new StringBuilder();
    var beginsLine = true;
    var from = 0;
    while (open.find()) {
      if (open.start() < from) {
        continue;
      }
      kept.append(given, from, open.start());
      beginsLine = beginsLine(beginsLine, given, from, open.start());
      from = open.start();
      if (!beginsLine || code.contains(from)) {
        continue;
      }
      if (!close.find(open.end())) {
        var answer = kept.toString();
        return !answer.isBlank() && isWhole ? answer + given.substring(from) : answer.strip();
      }
      from = close.end();
      code.skipTo(from);
    }
    return kept.isEmpty() && from == 0 ? given : kept + given.substring(from);
  }

  private static String withoutUnopened(String text, Marks marks) {
    var close = marks.close().matcher(text);
    var open = marks.open().matcher(text);
    if (!close.find() || (open.find() && open.start() < close.start())) {
      return text;
    }
    var isOnItsLine = beginsLine(true, text, 0, close.start()) || endsLine(text, close.end());
    return isOnItsLine && !new CodeBlocks(text).contains(close.start())
        ? text.substring(close.end())
        : text;
  }

  /**
   * Returns whether only white space is before the end of a part in its line.
   *
   * @param before whether this is true for the beginning of the part
   */
  private static boolean beginsLine(boolean before, String text, int from, int to) {
    for (int at = to - 1; at >= from; at--) {
      if (text.charAt(at) == '\n') {
        return true;
      }
      if (!Character.isWhitespace(text.charAt(at))) {
        return false;
      }
    }
    return before;
  }

  private static boolean endsLine(String text, int at) {
    var end = text.indexOf('\n', at);
    return text.substring(at, end < 0 ? text.length() : end).isBlank();
  }

  /** The blocks of code in a text. Places are asked for from its beginning to its end. */
  private static final class CodeBlocks {

    private static final Pattern FENCE = Pattern.compile("^ {0,3}(?:```|~~~)", Pattern.MULTILINE);

    private final Matcher fence;
    private boolean isInside;
    private boolean hasNext;

    CodeBlocks(String text) {
      this.fence = FENCE.matcher(text);
      this.hasNext = fence.find();
    }

    boolean contains(int place) {
      for (; hasNext && fence.start() < place; hasNext = fence.find()) {
        isInside = !isInside;
      }
      return isInside;
    }

    /** Ignores fences up to a place. */
    void skipTo(int place) {
      while (hasNext && fence.start() < place) {
        hasNext = fence.find();
      }
    }
  }
}
