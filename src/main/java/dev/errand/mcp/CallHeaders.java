package dev.errand.mcp;

import jakarta.ws.rs.core.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a call.
 *
 * @param version {@code MCP-Protocol-Version}
 * @param method {@code Mcp-Method}
 * @param name {@code Mcp-Name}, as it was sent
 * @param session {@code Errand-Session}: the external root session that delegates
 * @param key {@code Idempotency-Key}
 */
record CallHeaders(
    @Nullable String version,
    @Nullable String method,
    @Nullable String name,
    @Nullable String session,
    @Nullable String key) {

  static final String VERSION = "MCP-Protocol-Version";
  static final String METHOD = "Mcp-Method";
  static final String NAME = "Mcp-Name";
  static final String SESSION = "Errand-Session";
  static final String KEY = "Idempotency-Key";

  private static final Pattern ENCODED = Pattern.compile("=\\?base64\\?(.*)\\?=");

  static CallHeaders of(HttpHeaders headers) {
    return new CallHeaders(
        headers.getHeaderString(VERSION),
        headers.getHeaderString(METHOD),
        headers.getHeaderString(NAME),
        headers.getHeaderString(SESSION),
        headers.getHeaderString(KEY));
  }

  /** Decodes {@code Mcp-Name}; empty without the header, and when it cannot be decoded. */
  Optional<String> decodedName() {
    if (name == null) {
      return Optional.empty();
    }
    var encoded = ENCODED.matcher(name);
    if (!encoded.matches()) {
      return Optional.of(name);
    }
    try {
      var bytes = Base64.getDecoder().decode(encoded.group(1));
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }
}
