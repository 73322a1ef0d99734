package dev.errand.kit;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Texts that models, programs and clients produce, and what the service stores in their place. */
public enum OddText {
  NUL("a\0b", "a\ufffdb"),
  ONLY_NUL("\0", "\ufffd"),
  NULS_AROUND("\0\0a\0", "\ufffd\ufffda\ufffd"),
  HIGH_HALF("a\ud83db", "a\ufffdb"),
  LOW_HALF("a\ude00b", "a\ufffdb"),
  HIGH_HALF_AT_THE_END("a\ud83d", "a\ufffd"),
  LOW_HALF_AT_THE_BEGINNING("\ude00a", "\ufffda"),
  ONLY_HALVES("\ud800\udbff\ud800", "\ufffd\ufffd\ufffd"),
  REVERSED_PAIR("\ude00\ud83d", "\ufffd\ufffd"),
  HIGH_HALF_BEFORE_A_PAIR("\ud83d\ud83d\ude00", "\ufffd\ud83d\ude00"),
  LOW_HALF_AFTER_A_PAIR("\ud83d\ude00\ude00", "\ud83d\ude00\ufffd"),
  NUL_IN_A_PAIR("\ud83d\0\ude00", "\ufffd\ufffd\ufffd"),
  BEGINNING_OF_CESU("\ud83d?", "\ufffd?"),
  ESCAPE_AS_TEXT("\\u0000 \\ud800 \0", "\\u0000 \\ud800 \ufffd"),
  QUOTE_AND_NUL("\"\\\0\\\"", "\"\\\ufffd\\\""),
  PAIR("a\ud83d\ude00b"),
  LAST_CODE_POINT("\udbff\udfff"),
  NONCHARACTER("a\uffff\ufffeb"),
  BYTE_ORDER_MARK("\ufeffa"),
  RIGHT_TO_LEFT("a\u202etxt.exe"),
  LINE_SEPARATORS("a\u2028b\u2029c\u0085d"),
  CONTROLS(
      IntStream.range(1, 32).mapToObj(Character::toString).collect(Collectors.joining())
          + "\u007f\u009f"),
  COMBINING("e\u0301\u0301\u200d\ufe0f"),
  LONG_LINE("x".repeat(4_000) + "\0", "x".repeat(4_000) + "\ufffd");

  private final String text;
  private final String stored;

  OddText(String text, String stored) {
    this.text = text;
    this.stored = stored;
  }

  OddText(String text) {
    this(text, text);
  }

  public String text() {
    return text;
  }

  /** What is stored: the text itself if PostgreSQL can store it. */
  public String stored() {
    return stored;
  }
}
