package dev.errand.conversation;

import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * The form of ids in the API: a readable prefix and the 32 hexadecimal digits of a UUID, {@code
 * task_0199c0…}.
 */
final class PublicId {

  private static final int HEX_DIGITS = 32;

  private PublicId() {}

  static String write(String prefix, UUID value) {
    return prefix + value.toString().replace("-", "");
  }

  /** Parses the result of {@link #write}; empty for any other text. */
  static Optional<UUID> read(String prefix, String text) {
    if (!text.startsWith(prefix) || text.length() != prefix.length() + HEX_DIGITS) {
      return Optional.empty();
    }
    try {
      var high = HexFormat.fromHexDigitsToLong(text, prefix.length(), prefix.length() + 16);
      var low = HexFormat.fromHexDigitsToLong(text, prefix.length() + 16, text.length());
      return Optional.of(new UUID(high, low));
    } catch (NumberFormatException notHexadecimal) {
      return Optional.empty();
    }
  }
}
