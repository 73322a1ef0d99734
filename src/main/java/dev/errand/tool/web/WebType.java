package dev.errand.tool.web;

import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The header {@code Content-Type}.
 *
 * @param name {@code text/html}, in lower case; empty when it is not said
 * @param charset as it says; empty when it does not, or names one that is not known
 */
record WebType(String name, Optional<Charset> charset) {

  private static final Pattern CHARSET =
      Pattern.compile("charset\\s*=\\s*[\"']?([^\\s;\"']+)", Pattern.CASE_INSENSITIVE);

  private static final Set<String> PAGES = Set.of("text/html", "application/xhtml+xml");

  private static final Set<String> ALSO_TEXT =
      Set.of(
          "application/json",
          "application/xml",
          "application/javascript",
          "application/ecmascript",
          "application/x-javascript",
          "application/x-ndjson",
          "application/yaml",
          "application/x-yaml",
          "application/toml",
          "application/x-sh",
          "application/sql",
          "application/graphql",
          "application/rtf",
          "message/rfc822",
          "image/svg+xml");

  /** What servers say of files that they know nothing of. */
  private static final Set<String> ANYTHING =
      Set.of("", "application/octet-stream", "binary/octet-stream", "application/unknown");

  static WebType of(String header) {
    var name = header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    var charset = CHARSET.matcher(header);
    return new WebType(name, charset.find() ? known(charset.group(1)) : Optional.empty());
  }

  boolean isPage() {
    return PAGES.contains(name);
  }

  /** Whether its content may be shown as it is. */
  boolean isText() {
    return name.startsWith("text/")
        || ALSO_TEXT.contains(name)
        || name.endsWith("+json")
        || name.endsWith("+xml");
  }

  /** Whether only its content can tell. */
  boolean isUnknown() {
    return ANYTHING.contains(name);
  }

  private static Optional<Charset> known(String name) {
    try {
      return Optional.of(Charset.forName(name));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
