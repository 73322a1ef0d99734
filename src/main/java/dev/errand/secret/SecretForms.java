package dev.errand.secret;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The texts in which a secret may appear: itself, and its usual encodings. */
final class SecretForms {

  /** The characters of Base64 that belong to a text in front of the secret, by its length mod 3. */
  private static final int[] FOREIGN_CHARS = {0, 2, 3};

  /**
   * The prefix of secrets of webhooks. There are many of them, and their encoded forms all begin
   * alike, so that a search would have to compare each of them.
   */
  private static final String WEBHOOK = "whsec_";

  private static final int BITS_PER_BYTE = 8;
  private static final int BITS_PER_CHAR = 6;

  private SecretForms() {}

  /** Returns all forms, without line breaks, each at least as long as a window of the search. */
  static Set<String> of(String secret) {
    var forms = new LinkedHashSet<String>();
    addUrl(secret, forms);
    addJson(secret, forms);
    forms.add(
        secret
            .replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace(">", "&gt;")
            .replace("\"", "&quot;"));
    if (!secret.startsWith(WEBHOOK)) {
      addEncoded(secret.getBytes(StandardCharsets.UTF_8), forms);
    }
    return forms.stream()
        .map(form -> form.replaceAll("[\\r\\n]", ""))
        .filter(form -> form.length() >= SecretIndex.WINDOW)
        .collect(Collectors.toSet());
  }

  private static void addEncoded(byte[] secret, Set<String> forms) {
    for (int before = 0; before < FOREIGN_CHARS.length; before++) {
      addBase64(secret, before, forms);
    }
    forms.add(HexFormat.of().formatHex(secret));
    forms.add(HexFormat.of().withUpperCase().formatHex(secret));
  }

  private static void addUrl(String secret, Set<String> forms) {
    var form = URLEncoder.encode(secret, StandardCharsets.UTF_8);
    var strict = form.replace("+", "%20").replace("*", "%2A");
    for (var encoded :
        List.of(
            secret,
            form,
            strict,
            strict.replace("%2F", "/"),
            strict
                .replace("%21", "!")
                .replace("%27", "'")
                .replace("%28", "(")
                .replace("%29", ")"))) {
      forms.add(encoded);
      forms.add(lowerEscapes(encoded));
    }
  }

  /** Returns the escapes of a URL in lower case. */
  private static String lowerEscapes(String encoded) {
    var text = new StringBuilder(encoded);
    for (int at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at + 1)) {
      var end = Math.min(at + 3, text.length());
      text.replace(at, end, text.substring(at, end).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }

  private static void addJson(String secret, Set<String> forms) {
    var once = json(secret);
    forms.add(once);
    forms.add(once.replace("/", "\\/"));
    forms.add(json(once));
  }

  private static String json(String text) {
    return text.replace("\\", "\\\\")
        .replace("\"", "\\\"")
        .replace("\t", "\\t")
        .replace("\r", "\\r")
        .replace("\n", "\\n");
  }

  /** Adds the characters that depend only on the secret, wherever it begins in a longer text. */
  private static void addBase64(byte[] secret, int before, Set<String> forms) {
    var text = new byte[before + secret.length];
    System.arraycopy(secret, 0, text, before, secret.length);
    var end = text.length * BITS_PER_BYTE / BITS_PER_CHAR;
    var encoded =
        Base64.getEncoder()
            .withoutPadding()
            .encodeToString(text)
            .substring(FOREIGN_CHARS[before], end);
    forms.add(encoded);
    forms.add(encoded.replace('+', '-').replace('/', '_'));
  }
}
