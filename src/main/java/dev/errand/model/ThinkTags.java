package dev.errand.model;

import java.util.List;
import java.util.OptionalInt;
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
   * How reasoning begins and ends.
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

  private static final Pattern FENCE = Pattern.compile("^ {0,3}(?:```|~~~)", Pattern.MULTILINE);

  private ThinkTags() {}

  /** Returns the answer without reasoning; the text itself if it contains none. */
  static String removed(String text) {
    if (text.indexOf('<') < 0 && text.indexOf('◁') < 0 && text.indexOf('[') < 0) {
      return text;
    }
    var rest = text;
    for (var marks : MARKS) {
      rest = removed(rest, marks);
    }
    rest = AROUND_ANSWER.matcher(rest).replaceAll("");
    return rest.length() == text.length() ? text : rest.strip();
  }

  private static String removed(String text, Marks marks) {
    var rest = marks.mayBeUnopened() ? withoutUnopened(text, marks) : text;
    var open = marks.open().matcher(rest);
    for (int from = 0; open.find(from); ) {
      if (!beginsLine(rest, open.start()) || isCode(rest, open.start())) {
        from = open.end();
        continue;
      }
      var end = endOf(marks.close().matcher(rest), open.end());
      if (end.isEmpty()) {
        return rest.substring(0, open.start()).isBlank() ? "" : rest;
      }
      from = open.start();
      rest = rest.substring(0, from) + rest.substring(end.getAsInt());
      open = marks.open().matcher(rest);
    }
    return rest;
  }

  private static String withoutUnopened(String text, Marks marks) {
    var close = marks.close().matcher(text);
    var open = marks.open().matcher(text);
    if (!close.find() || (open.find() && open.start() < close.start())) {
      return text;
    }
    var isAlone = beginsLine(text, close.start()) || endsLine(text, close.end());
    return isAlone && !isCode(text, close.start()) ? text.substring(close.end()) : text;
  }

  private static OptionalInt endOf(Matcher close, int from) {
    return close.find(from) ? OptionalInt.of(close.end()) : OptionalInt.empty();
  }

  private static boolean beginsLine(String text, int at) {
    return text.substring(text.lastIndexOf('\n', at - 1) + 1, at).isBlank();
  }

  private static boolean endsLine(String text, int at) {
    var end = text.indexOf('\n', at);
    return text.substring(at, end < 0 ? text.length() : end).isBlank();
  }

  private static boolean isCode(String text, int at) {
    return FENCE.matcher(text.substring(0, at)).results().count() % 2 == 1;
  }
}
