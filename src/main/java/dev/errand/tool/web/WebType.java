package dev.errand.tool.web;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code Content-Type}.
 *
 * @param name the media type in lower case, {@code text/html}; empty if there is none
 * @param charset null if the header names none, or an unknown one
 */
record WebType(String name, @Nullable Charset charset) {

  private static final Pattern CHARSET =
      Pattern.compile("charset\\s*=\\s*[\"']?([^\\s;\"']+)", Pattern.CASE_INSENSITIVE);

  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

  private static final Set<String> PAGES = Set.of("text/html", "application/xhtml+xml");

  private static final Set<String> TEXT_TYPES =
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

  /** The types that servers use for files of an unknown type. */
  private static final Set<String> UNSPECIFIC =
      Set.of("", "application/octet-stream", "binary/octet-stream", "application/unknown");

  static WebType of(String header) {
    var name = header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    var charset = CHARSET.matcher(header);
    return new WebType(name, charset.find() ? known(charset.group(1)).orElse(null) : null);
  }

  boolean isPage() {
    return PAGES.contains(name);
  }

  /** Returns whether the content is text that can be shown unchanged. */
  boolean isText() {
    return name.startsWith("text/")
        || TEXT_TYPES.contains(name)
        || name.endsWith("+json")
        || name.endsWith("+xml");
  }

  /** Returns whether the type says nothing about the content. */
  boolean isUnknown() {
    return UNSPECIFIC.contains(name);
  }

  /** Returns the encoding with this name; empty if it is unknown. */
  static Optional<Charset> known(String name) {
    try {
      return Optional.of(onTheWeb(Charset.forName(name)));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Browsers decode ISO-8859-1 and US-ASCII as windows-1252, and pages rely on it. */
  static Charset onTheWeb(Charset charset) {
    return charset.equals(StandardCharsets.ISO_8859_1) || charset.equals(StandardCharsets.US_ASCII)
        ? WINDOWS_1252
        : charset;
  }
}
