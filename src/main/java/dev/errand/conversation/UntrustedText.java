package dev.errand.conversation;

import java.util.regex.Pattern;

/**
 * Words that others wrote – a subagent, the author of a web page – between words of ours, for a
 * model to read. They are quoted as data: what looks like our own markup in them is defused (C3).
 */
public final class UntrustedText {

  private static final int LONGEST_LINE = 500;

  private static final Pattern OUR_TAG =
      Pattern.compile("<(?=[\\s/]*(task_|web_page))", Pattern.CASE_INSENSITIVE);
  private static final Pattern OUR_HEADER =
      Pattern.compile("\\[(?=\\s*subagent\\b)", Pattern.CASE_INSENSITIVE);
  private static final Pattern NOT_PRINTED = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

  private UntrustedText() {}

  /** Text of several lines. */
  public static String quoted(String words) {
    return OUR_HEADER.matcher(OUR_TAG.matcher(words).replaceAll("&lt;")).replaceAll("&#91;");
  }

  /** What stands behind a word of ours on one line: it cannot begin a line of its own. */
  public static String line(String words) {
    var plain = NOT_PRINTED.matcher(words).replaceAll(" ").strip();
    return quoted(TextCut.withEllipsis(plain, LONGEST_LINE));
  }
}
