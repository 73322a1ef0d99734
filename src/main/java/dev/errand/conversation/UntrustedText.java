package dev.errand.conversation;

import java.util.regex.Pattern;

/**
 * A text from others, such as a subagent or the author of a web page, inside of text that the
 * service writes for a model. It is quoted as data: text that looks like markup of the service is
 * escaped.
 */
public final class UntrustedText {

  private static final int MAX_LINE_CHARS = 500;

  private static final Pattern OUR_TAG =
      Pattern.compile(
          "<(?=[\\s/]*(task_|web_|notice|conversation_summary))", Pattern.CASE_INSENSITIVE);
  private static final Pattern OUR_HEADER =
      Pattern.compile("\\[(?=\\s*subagent\\b)", Pattern.CASE_INSENSITIVE);
  private static final Pattern NOT_PRINTED = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

  private UntrustedText() {}

  /** Quotes text of several lines. */
  public static String quoted(String text) {
    return OUR_HEADER.matcher(OUR_TAG.matcher(text).replaceAll("&lt;")).replaceAll("&#91;");
  }

  /** Quotes text for the end of a line: it cannot start a line of its own. */
  public static String line(String text) {
    var plain = NOT_PRINTED.matcher(text).replaceAll(" ").strip();
    return quoted(TextCut.withEllipsis(plain, MAX_LINE_CHARS));
  }
}
