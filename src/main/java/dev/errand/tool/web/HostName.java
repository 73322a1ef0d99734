package dev.errand.tool.web;

import java.net.IDN;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Converts host names to the ASCII form in which they are looked up (<a
 * href="https://www.unicode.org/reports/tr46/">UTS 46</a>): {@code bücher.example} is {@code
 * xn--bcher-kva.example}.
 */
final class HostName {

  private static final Pattern DOT = Pattern.compile("[.\\u3002\\uFF0E\\uFF61]");

  /** Letters that were once replaced by others, as the platform still does. */
  private static final Pattern DEVIATION = Pattern.compile("[\\u00DF\\u03C2]");

  /** The parameters of Punycode (RFC 3492, 5). */
  private static final int BASE = 36;

  private static final int MIN = 1;
  private static final int MAX = 26;
  private static final int SKEW = 38;
  private static final int DAMP = 700;
  private static final int FIRST_BIAS = 72;
  private static final int FIRST_CODE = 0x80;

  private HostName() {}

  /**
   * @throws IllegalArgumentException the name is not valid
   */
  static String ascii(String host) {
    return Stream.of(DOT.split(host, -1)).map(HostName::label).collect(Collectors.joining("."));
  }

  private static String label(String label) {
    var lower = Normalizer.normalize(label.toLowerCase(Locale.ROOT), Normalizer.Form.NFKC);
    if (DEVIATION.matcher(lower).find()) {
      return "xn--" + punycode(lower);
    }
    return label.isEmpty() ? "" : IDN.toASCII(label, IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
  }

  private static String punycode(String label) {
    var codes = label.codePoints().toArray();
    var result = new StringBuilder();
    label.codePoints().filter(code -> code < FIRST_CODE).forEach(result::appendCodePoint);
    var basic = result.length();
    if (basic > 0) {
      result.append('-');
    }
    var others = new ArrayList<Integer>();
    label.codePoints().filter(code -> code >= FIRST_CODE).sorted().distinct().forEach(others::add);
    var next = FIRST_CODE;
    var delta = 0;
    var done = basic;
    var bias = FIRST_BIAS;
    for (int code : others) {
      delta += (code - next) * (done + 1);
      for (var other : codes) {
        if (other < code) {
          delta++;
        } else if (other == code) {
          append(result, delta, bias);
          bias = bias(delta, done + 1, done == basic);
          delta = 0;
          done++;
        }
      }
      delta++;
      next = code + 1;
    }
    return result.toString();
  }

  private static void append(StringBuilder result, int delta, int bias) {
    var rest = delta;
    for (int k = BASE; ; k += BASE) {
      var threshold = Math.clamp(k - bias, MIN, MAX);
      if (rest < threshold) {
        result.append(digit(rest));
        return;
      }
      result.append(digit(threshold + (rest - threshold) % (BASE - threshold)));
      rest = (rest - threshold) / (BASE - threshold);
    }
  }

  private static char digit(int value) {
    return (char) (value < MAX ? 'a' + value : '0' + value - MAX);
  }

  private static int bias(int delta, int done, boolean isFirst) {
    var rest = isFirst ? delta / DAMP : delta / 2;
    rest += rest / done;
    var k = 0;
    while (rest > (BASE - MIN) * MAX / 2) {
      rest /= BASE - MIN;
      k += BASE;
    }
    return k + (BASE - MIN + 1) * rest / (rest + SKEW);
  }
}
